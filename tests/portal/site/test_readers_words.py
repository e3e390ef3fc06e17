"""Forms in the reader's language: shown in it, sent and recorded as the service's own; what it lacks is marked."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone, translation

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, load_schema, open_draft, schema_digest
from formation_portal.applications.imports.columns import columns, keys_by_heading, normalized_heading
from formation_portal.applications.models import Application
from formation_portal.gateway import service
from formation_portal.gateway.catalog import catalog
from formation_portal.gateway.catalog_file import CatalogFile
from formation_portal.portal.catalog.search import matches_search
from formation_portal.service.catalog.loader import read_catalog
from formation_portal.ui.printed_record import printed_record
from tests import factories
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schema_builders import ask, entity, item, schema
from tests.portal.pages import root, section_url

__all__ = ["at_other_service", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SLUG = "bvi-limited-company"


def start(owner: Any, slug: str, language: str) -> Draft:
    with translation.override(language):
        found = catalog().find(slug)
        assert found is not None
        assert found.item is not None
        return open_draft(services.start(owner=owner, product=found.item))


def read(client: Client, address: str, language: str) -> str:
    response = client.get(address, headers={"accept-language": language})
    assert response.status_code == 200, address
    return response.content.decode()


@pytest.fixture
def german(full_catalog: None, owner: Any) -> Draft:
    """A draft that was started on a German page; the service has been asked for its words in every language."""
    for language, _ in settings.LANGUAGES:
        with translation.override(language):
            catalog()
    return start(owner, SLUG, "de")


def test_what_is_started_in_german_is_stored_as_the_service_says_it(german: Draft) -> None:
    [kept] = [one for one in read_catalog() if one["product"]["slug"] == SLUG]
    application = Application.objects.get(pk=german.application.pk)
    assert application.schema_version_id == schema_digest(kept["schema"])
    assert application.product["product"] == kept["product"]
    assert application.product["jurisdiction"] == kept["jurisdiction"]
    assert application.product["estimated_timeline"] == kept["estimated_timeline"]


def test_a_section_is_drawn_in_german_and_sends_the_same_values(
    german: Draft, as_owner: Client, client: Client, owner: Any
) -> None:
    address = section_url(german, "name-and-activities")
    page = read(as_owner, address, "de")
    assert "<h1>Name und Tätigkeiten</h1>" in page
    assert "Holdinggesellschaft" in page
    assert 'value="Holding company"' in page
    posted = {"q:business_activities": ["Holding company", "Insurance"], "version": "0"}
    assert as_owner.post(address, posted, headers={"accept-language": "de"}).status_code in (200, 302)
    draft = factories.again(german)
    assert draft.entity_raw["entity.business_activities"] == ["Holding company", "Insurance"]
    change = draft.application.changes.latest("pk")
    assert change.what == "Changed “Name and activities”"
    assert [one["label"] for one in change.changes] == ["Business activities"]
    assert type(change.named["section"]) is str
    assert "Holding company" in read(as_owner, address, "en")


def test_a_record_keeps_the_words_that_are_stored_and_is_printed_in_the_readers(
    german: Draft, as_owner: Client, owner: Any
) -> None:
    factories.save_section(german, "name-and-activities", {"entity.business_activities": ["Insurance"]}, by=owner)
    kept = as_owner.get(f"{root(german)}record.json", headers={"accept-language": "de"}).json()
    assert kept["product"]["name"] == "Business company limited by shares"
    assert kept["sections"][0]["title"] == "Name and activities"
    [answer] = [one for one in kept["sections"][0]["answers"] if one["name"] == "entity.business_activities"]
    assert (answer["label"], answer["value"]) == ("Business activities", ["Insurance"])
    with translation.override("de"):
        printed = printed_record(open_draft(german.application), made_at=timezone.now())
    values = [row.value for row in printed.entries[0].rows]
    assert "Gesellschaft mit beschränkter Haftung (Business Company)" in values
    [titled] = [one for one in printed.entries if one.title == "Name und Tätigkeiten"]
    assert not titled.is_schemas


@pytest.mark.usefixtures("full_catalog")
def test_a_product_is_found_by_english_and_by_the_readers_words() -> None:
    with translation.override("de"):
        catalog()
        for words in ("stiftung", "foundation", "niederlande", "Netherlands", "handelslizenz", "charity"):
            assert [one for one in catalog().items if one.item and matches_search(words, one.item)], words


def test_a_sheet_in_another_language_is_read(german: Draft) -> None:
    with translation.override("de"):
        headings = [column.heading for column in columns(open_draft(german.application).schema)]
    assert "Vorname" in headings
    for language in ("en", "fr", "de"):
        with translation.override(language):
            known = keys_by_heading(open_draft(german.application).schema)
        assert [one for one in headings if normalized_heading(one) not in known] == []


def test_words_outlive_the_services_next_version(german: Draft, as_owner: Client) -> None:
    """What the service said of the form that a draft has is kept with it."""
    items = deepcopy(read_catalog())
    for one in items:
        one["schema"] |= {"version": "next", "id": f"next-{one['schema']['id']}"}
    file = CatalogFile(Path(settings.DATA_DIR) / "catalog", service().base_url, "de")
    before = file.load()
    assert before is not None
    file.write(items, '"next"')
    load_schema.cache_clear()
    address = section_url(german, "name-and-activities")
    try:
        assert "<h1>Name und Tätigkeiten</h1>" in read(as_owner, address, "de")
    finally:
        file.write(before.items, before.etag)


def half(language: str) -> list[Any]:
    """A product whose German has one label and one option."""
    fields = (
        ask("kind", "What will it do?", "select", options=["Trade with goods", "Hold other companies"]),
        ask("where", "In which countries will it do that?", help="Name all of them."),
    )
    items = [item("half", "A company of this place", schema("Form", entity("What it does", *fields)))]
    if language == "de":
        items = deepcopy(items)
        [kind, _] = items[0]["schema"]["sections"][0]["fields"]
        kind |= {"label": "Was wird sie tun?", "option_labels": {"Trade with goods": "Handel mit Waren"}}
    return items


def test_half_a_translation_is_used_and_the_rest_is_marked(
    at_other_service: OtherService, owner: Any, as_owner: Client
) -> None:
    at_other_service.answer("GET .*/catalog", 200, half("en"), headers={"Content-Language": "en"}, times=1)
    at_other_service.answer("GET .*/catalog", 200, half("de"), headers={"Content-Language": "de"})
    # What another test has kept of this form is not in this one's database.
    load_schema.cache_clear()
    page = read(as_owner, section_url(start(owner, "half", "de"), "what-it-does"), "de")
    assert '<h1><span lang="en" dir="auto">What it does</span></h1>' in page
    assert '<span lang="en" dir="auto">In which countries will it do that?</span>' in page
    assert "Was wird sie tun?" in page
    assert 'lang="en" dir="auto">Was wird sie tun?' not in page
    assert '<span lang="en">Hold other companies</span>' in page
    assert "<span>Handel mit Waren</span>" in page
    assert 'value="Trade with goods"' in page
