import pytest
from django.core.management import call_command

from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.catalog.product_syntax import CatalogError
from formation_portal.service.models import CatalogItem, CatalogLoad, FormSchema
from tests.service import example_catalog

pytestmark = pytest.mark.django_db(databases=["service"])


def test_a_catalog_that_is_there_is_left_alone(django_assert_num_queries: object) -> None:
    assert store_catalog(example_catalog.items())
    with django_assert_num_queries(1, using="service"):  # type: ignore[operator]
        assert not store_catalog(example_catalog.items())
    assert CatalogLoad.objects.count() == 1


def test_a_newer_catalog_takes_the_place_of_the_older_one() -> None:
    store_catalog(example_catalog.items())
    newer = example_catalog.items()[::-1]
    newer[0]["schema"] |= {"id": example_catalog.SHARES_SCHEMA.replace("0001", "0009"), "version": "2"}
    assert store_catalog(newer)
    assert [item.form.version for item in CatalogItem.objects.select_related("form")] == ["2", "1"]
    assert FormSchema.objects.count() == 3


def test_a_schema_with_a_circle_is_not_loaded() -> None:
    faulty = example_catalog.items()
    fields = faulty[0]["schema"]["sections"][0]["fields"]
    fields[3]["depends_on"] = {"field": "partners", "value": "x"}
    with pytest.raises(CatalogError, match="shares-company"):
        store_catalog(faulty)
    assert not CatalogItem.objects.exists()


def test_the_command_loads_the_embedded_catalog_once(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_catalog")
    call_command("load_catalog")
    assert capsys.readouterr().out.split("\n")[:2] == ["32 products loaded", "32 products unchanged"]
