import gzip

import pytest

from formation_portal.service.catalog.loader import store_catalog
from tests.service import example_catalog
from tests.service.caller import Caller, problem

pytestmark = pytest.mark.django_db(databases=["service"])


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("jurisdiction=bvi", ["shares-company"]),
        ("product_type=Foundation", ["plain-foundation"]),
        (f"jurisdiction_product_id={example_catalog.SHARES_PRODUCT.upper()}", ["shares-company"]),
        ("jurisdiction=bvi&product_type=Foundation", []),
    ],
)
def test_filters_combine(caller: Caller, query: str, slugs: list[str]) -> None:
    found = caller.get(f"/catalog?{query}").json()
    assert [item["product"]["slug"] for item in found["data"]] == slugs
    assert found["meta"] == {"total": len(slugs)}
    problem(caller.get("/catalog?product_type=Trust"), 422, "validation_failed", "/product_type")


def test_a_catalog_that_one_has_is_not_sent_again_until_it_changes(caller: Caller) -> None:
    first = caller.get("/catalog")
    assert first.json() == {"data": example_catalog.items(), "meta": {"total": 2}}
    etag = first["ETag"]
    assert etag.startswith('"')
    assert first["Cache-Control"] == "private, max-age=300"
    for held in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        again = caller.get("/catalog", If_None_Match=held)
        assert (again.status_code, again.content) == (304, b"")
        assert (again["ETag"], again["Cache-Control"]) == (etag, first["Cache-Control"])
    assert caller.get("/catalog", If_None_Match='"other"').status_code == 200
    assert caller.get("/catalog?jurisdiction=bvi", If_None_Match=etag).status_code == 200
    changed = example_catalog.items()
    changed[0]["price"]["annual"] = 801
    store_catalog(changed)
    answer = caller.get("/catalog", If_None_Match=etag)
    assert answer.status_code == 200
    assert answer.json()["data"][0]["price"]["annual"] == 801


def test_packed_bytes_have_a_strong_etag_of_their_own(caller: Caller) -> None:
    plain, packed = caller.get("/catalog"), caller.get("/catalog", Accept_Encoding="gzip, br")
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert packed["ETag"] != plain["ETag"]
    assert packed["ETag"].startswith('"')
    assert "Accept-Encoding" in packed["Vary"]
    assert caller.get("/catalog", Accept_Encoding="gzip", If_None_Match=packed["ETag"]).status_code == 304


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de-CH, en;q=0.8", "de"),
        ("en;q=0.5, fr;q=0.9", "fr"),
        ("it, ja", "en"),
        ("*, de;q=0.5", "en"),
        ("de;q=0, fr;q=0.1", "fr"),
    ],
)
def test_the_catalog_is_in_the_language_that_is_asked_for(caller: Caller, accepted: str, language: str) -> None:
    answer = caller.get("/catalog", Accept_Language=accepted)
    assert answer["Content-Language"] == language
    assert "Accept-Language" in answer["Vary"]
    titles = [section["title"] for section in answer.json()["data"][0]["schema"]["sections"]]
    assert {"en": "Directors", "de": "Direktoren", "fr": "Administrateurs"}[language] in titles


def test_each_language_has_its_own_etag(caller: Caller) -> None:
    etags = {code: caller.get("/catalog", Accept_Language=code)["ETag"] for code in ("en", "de", "fr", "es")}
    assert len(set(etags.values())) == 4
    for code, etag in etags.items():
        answer = caller.get("/catalog", Accept_Language=code, If_None_Match=etag)
        assert (answer.status_code, answer["ETag"], answer["Content-Language"]) == (304, etag, code)
    assert caller.get("/catalog", Accept_Language="de", If_None_Match=etags["fr"]).status_code == 200


def test_a_product_that_left_the_catalog_stays_for_its_entities(caller: Caller, entity: str) -> None:
    store_catalog(example_catalog.items()[1:])
    assert caller.get("/catalog").json()["meta"] == {"total": 1}
    problem(caller.post("/entities", {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT}), 404, "not_found")
    assert caller.get(f"/entities/{entity}").json()["data"]["product"]["slug"] == "shares-company"
    assert caller.answers(entity, activity="Trading").status_code == 200
