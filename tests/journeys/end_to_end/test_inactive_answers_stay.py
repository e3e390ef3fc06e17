"""What is not asked never leaves: its answer stays in the draft, and what had been sent is cleared at the service."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client
from lxml import html

from formation_portal import gateway
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.gateway.transports.in_process import BASE_URL
from formation_portal.relay.worker import drain
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.embedded_catalog import catalog_items
from tests.field_types import field_type_of
from tests.journeys.conftest import new_user
from tests.relay.flaky_transport import FlakyTransport

pytestmark = pytest.mark.django_db(databases=["default", "service"])

Json = dict[str, Any]
ITEMS = {item["product"]["slug"]: item for item in catalog_items()}
# Every eighth in every run, all of them in `make test-long`.
TRIED = [slug if place % 8 == 0 else pytest.param(slug, marks=pytest.mark.long) for place, slug in enumerate(ITEMS)]
_PARTS = {"day": "7", "month": "3", "year": "1990", "amount": "25000"}


@pytest.fixture
def transport(full_catalog: None, db: None, monkeypatch: pytest.MonkeyPatch) -> FlakyTransport:
    """Writes down every call to the embedded service, which has the whole catalog."""
    key, transport = portal_key(), FlakyTransport()
    service = FormationService(base_url=BASE_URL, read_key=lambda: key, adapter=transport)
    monkeypatch.setattr(gateway, "service", lambda: service)
    return transport


@dataclass
class Question:
    """All controls of one name: what they offer, what they hold, and whether the page shows them."""

    offered: list[str] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    is_shown: bool = False


def read(text: str) -> dict[str, Question]:
    """Every question of a page, hidden ones too. Quick, since long pages are read here a hundred times."""
    found: dict[str, Question] = {}
    for element in html.fromstring(text).iter("input", "select", "textarea"):
        name, kind = element.get("name", ""), element.get("type", element.tag)
        if not name.startswith("q:") or kind == "hidden":
            continue
        question = found.setdefault(name, Question())
        question.is_shown |= not element.xpath("boolean(ancestor-or-self::*[@hidden])")
        if element.tag == "select":
            # An option without a value is posted by its words.
            options = [(one, one.get("value", one.text or "")) for one in element.iter("option")]
            question.offered += [value for _, value in options if value]
            question.filled += [value for one, value in options if one.get("selected") is not None]
        elif kind in ("radio", "checkbox"):
            question.offered.append(element.get("value"))
            question.filled += [element.get("value")] if element.get("checked") is not None else []
        else:
            question.filled.append(
                (element.text or "").removeprefix("\n") if kind == "textarea" else element.get("value", "")
            )
    return found


class Sections:
    """The sections of one application, read and posted all at once: hidden questions are answered too."""

    def __init__(self, client: Client, slug: str) -> None:
        schema = ITEMS[slug]["schema"]
        sections = [section for section in schema["sections"] if section["scope"] == "entity"]
        self.fields = {f"q:{spec['key']}": spec for section in sections for spec in section["fields"]}
        self._opening = {control: _opening(spec, schema) for control, spec in self.fields.items()}
        self._client = client
        self._home = client.post("/applications/", {"product": slug})["Location"].partition("#")[0]
        self.reference = self._home.split("/")[2]
        self._texts: dict[str, str] = {}

    @property
    def _pages(self) -> dict[str, str]:
        """The sections' pages as they stand, by their addresses; read when they are first looked at."""
        if not self._texts:
            self._texts = self._read()
        return self._texts

    def _read(self) -> dict[str, str]:
        overview = self._client.get(self._home).content.decode()
        addresses = sorted(set(re.findall(rf"{self._home}sections/[^/]+/", overview)))
        return {address: self._client.get(address).content.decode() for address in addresses}

    def post(self, *, opens: bool) -> None:
        """Answer every question that has no answer, and those that open others so that they do, or don't."""
        for address, text in self._pages.items():
            data = {name: self._answer(name, question, opens=opens) for name, question in read(text).items()}
            version = re.findall(r'name="version"[^>]*\svalue="(\d+)"', text)[0]
            response = self._client.post(address, data | {"version": version})
            assert response.status_code == 302, address
        drain()
        self._texts = {}

    def _answer(self, name: str, question: Question, *, opens: bool) -> list[str]:
        control, _, part = name.removeprefix("q:").partition(":")
        spec = self.fields[f"q:{control}"]
        if values := self._opening[f"q:{control}"]:
            # What opens something by each of its options is left without an answer, which a blank says.
            return [one for one in question.offered if (one in values) is opens][:1] or [""]
        if any(question.filled):
            return question.filled
        if question.offered:
            return question.offered[:1]
        words = f"Words for {name}"
        return [_PARTS.get(part, words) if part else field_type_of(spec["field_type"]).answer(words)]

    @property
    def shown(self) -> dict[str, list[list[str]]]:
        """The questions that stand open, with what each of their parts holds."""
        found: dict[str, list[list[str]]] = {}
        for text in self._pages.values():
            for name, question in read(text).items():
                if question.is_shown:
                    found.setdefault(":".join(name.split(":")[:2]), []).append(question.filled)
        return found

    @property
    def held(self) -> Json:
        """What the service has of the entity, by the names of the schema."""
        (entity,) = gateway.service().entities(client_reference=self.reference)
        csp = gateway.service().csp_data(entity["id"])["csp_data"]
        return {name: _value(entity, csp, spec) for name, spec in self.fields.items()}


def _opening(spec: Json, schema: Json) -> set[str]:
    """What is posted to this question where a rule names it and holds."""
    lists = ("fields", "person_fields", "corporate_fields", "foundation_fields")
    holders = [spec for one in schema["sections"] for name in lists for spec in one.get(name, ())] + schema["sections"]
    names = {spec["key"], spec.get("canonical_field"), spec.get("csp_field_key")}
    rules = [one["depends_on"] for one in holders if one.get("depends_on") and one["depends_on"]["field"] in names]
    values = [value for rule in rules for value in (rule["value"] if "operator" in rule else [rule["value"]])]
    return {str(value).lower() if isinstance(value, bool) else str(value) for value in values}


def _value(entity: Json, csp: Json, spec: Json) -> Any:
    if spec.get("csp_field_key"):
        return csp.get(spec["csp_field_key"])
    *outer, last = spec["canonical_field"].removeprefix("entity.").split(".")
    holder = (entity.get(outer[0]) or {}) if outer else entity
    return holder.get(last)


def sent_for(transport: FlakyTransport, spec: Json) -> list[Any]:
    """Every value that left for a question about the entity, in order."""
    bodies = [
        made.body for made in transport.calls if made.method in ("POST", "PATCH") and isinstance(made.body, Mapping)
    ]
    own = [body for body in bodies if "party_type" not in body and "party_id" not in body]
    name = spec.get("csp_field_key") or spec["canonical_field"].removeprefix("entity.")
    places = [body.get("csp_data", body) for body in own]
    first, _, rest = name.partition(".")
    nested = [place[first] for place in places if isinstance(place.get(first), Mapping)]
    return [one[key] for one, key in [(p, name) for p in places] + [(n, rest) for n in nested] if key in one]


@pytest.mark.parametrize("slug", TRIED)
def test_what_a_product_does_not_ask_never_leaves_comes_back_and_is_cleared(
    slug: str, transport: FlakyTransport
) -> None:
    client = Client()
    client.force_login(new_user())
    pages = Sections(client, slug)

    pages.post(opens=False)
    closed = pages.shown
    hidden = [name for name in pages.fields if name not in closed and not pages.fields[name].get("provided_by_agent")]
    assert {name: sent_for(transport, pages.fields[name]) for name in hidden} == {name: [] for name in hidden}
    held = pages.held
    assert {name: held[name] for name in hidden} == dict.fromkeys(hidden)

    pages.post(opens=True)
    opened = pages.shown
    back = [name for name in hidden if any(map(any, opened.get(name, [])))]
    assert back, "the rules of every product open something"
    held = pages.held
    assert [name for name in back if held[name] in (None, "", [])] == []

    pages.post(opens=False)
    held = pages.held
    assert {name: held[name] for name in back} == dict.fromkeys(back)
    assert {name: sent_for(transport, pages.fields[name])[-1] for name in back} == dict.fromkeys(back)


@pytest.fixture
def complete(transport: FlakyTransport, owner: Any) -> Draft:
    """A complete draft that says what is asked of traders and of politically exposed persons; nothing has left."""
    store_catalog([factories.ITEM])
    draft = factories.new_draft(owner)
    _save(draft, "the-company", factories.COMPANY | {"xy.activity": "Trading", "xy.goods": "Secret goods"}, owner)
    _save(draft, "funds", factories.FUNDS, owner)
    ada = factories.ADA | {"xy.person.is_pep": "true", "xy.person.pep_office": "Secret office"}
    services.add_party(draft, "person", ["director", "shareholder"], ada, by=owner, token="ada")
    services.add_share_class(draft, factories.ORDINARY, by=owner, token="ordinary")
    services.save_holdings(draft, {("ada", "ordinary"): "10,000"}, by=owner)
    services.add_document(draft, draft.party("ada"), "Passport", factories.upload(), by=owner)
    assert draft.needs == ()
    return draft


def _save(draft: Draft, key: str, raw: Json, by: Any) -> None:
    section = draft.schema.section(key)
    assert section is not None
    services.save_section(draft, section, raw, version=draft.version(key), by=by)


def turn(client: Client, draft: Draft, *, activity: str, is_pep: str) -> None:
    """Answer the two questions that open others, each on its page."""
    home = f"/applications/{draft.application.reference}/"
    for address, control, value in (
        ("sections/the-company/", "q:activity", activity),
        ("people/ada/", "q:xy.person.is_pep", is_pep),
    ):
        text = client.get(home + address).content.decode()
        assert control in read(text)
        version = re.findall(r'name="version"[^>]*\svalue="(\d+)"', text)[0]
        assert client.post(home + address, {control: value, "version": version}).status_code == 302


def submit(client: Client, draft: Draft) -> None:
    answer = client.post(f"/applications/{draft.application.reference}/submission/", {"declaration": "1"})
    assert answer["Location"].endswith("/status/")
    drain()


def test_what_was_turned_off_is_not_submitted(complete: Draft, as_owner: Client, transport: FlakyTransport) -> None:
    turn(as_owner, complete, activity="Holding company", is_pep="false")
    submit(as_owner, complete)
    assert transport.endpoints[-1] == "POST entities/submit"
    assert "Secret" not in str([made.body for made in transport.calls])
    fresh = open_draft(complete.application)
    assert fresh.entity_raw["xy.goods"] == "Secret goods"
    assert fresh.parties[0].raw["xy.person.pep_office"] == "Secret office"


def test_what_had_been_sent_is_cleared_and_comes_back(
    complete: Draft, as_owner: Client, transport: FlakyTransport
) -> None:
    service = gateway.service()

    def held() -> tuple[Any, Any]:
        (entity,) = service.entities(client_reference=complete.application.reference)
        (party,) = service.records(entity["id"], Collection.PARTIES)
        about_party = service.csp_data(entity["id"], party_id=party["party_id"])["csp_data"]
        about_entity = service.csp_data(entity["id"])["csp_data"]
        return about_entity.get("xy.goods"), about_party.get("xy.person.pep_office")

    drain()
    assert held() == ("Secret goods", "Secret office")
    transport.clear()
    turn(as_owner, complete, activity="Holding company", is_pep="false")
    drain()
    assert held() == (None, None)
    cleared = {
        name: value for body in transport.bodies("POST entities/csp-data") for name, value in body["csp_data"].items()
    }
    assert cleared.items() >= {"xy.goods": None, "xy.person.pep_office": None}.items()
    turn(as_owner, complete, activity="Trading", is_pep="true")
    submit(as_owner, complete)
    assert held() == ("Secret goods", "Secret office")
