"""States of a party under review, for pictures and barriers."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.document_evidence import prove
from formation_portal.reviews.models import QueryReason
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.documents import sample_files
from tests.journeys.page_states.documents import kept_before, upload_document
from tests.journeys.page_states.screenshots import Shot, press
from tests.reviews.deciding import decide

_KESTREL = {"corporate.legal_name": "Kestrel Capital B.V.", "entity.legal_name": "Kestrel Capital B.V."}
_BIRTH = Target.of_field("ada", "person.date_of_birth")
_PEP = Target.of_field("ada", "xy.person.is_pep")
_PASSPORT = Target.of_document("ada", "Passport")


def in_review(owner: Any) -> Draft:
    """The small product's application with three parties and documents of several kinds, submitted."""
    draft = factories.complete_draft(owner)
    upload_document(draft, draft.party("ada"), "Passport", sample_files.pdf(3), "lovelace-pass.pdf")
    kept_before(upload_document(draft, draft.party("ada"), "Letter", sample_files.pdf(), "reference.pdf"))
    ingrid = {"person.first_name": "Ingrid", "person.last_name": "Solheim"}
    services.add_party(draft, "person", ["director"], factories.ADA | ingrid, by=owner, token="ingrid")
    upload_document(draft, draft.party("ingrid"), "Passport", sample_files.jpeg(640, 480), "solheim-pass.jpg")
    services.add_party(draft, "corporate", ["director"], _kestrel(draft), by=owner, token="kestrel")
    upload_document(draft, draft.party("kestrel"), "Register extract", sample_files.pdf(14), "extract.pdf")
    services.submit(draft, by=owner)
    return draft


def party_review_states() -> Iterator[Shot]:
    """A person and a company, as they are checked, asked about, answered and done."""
    people = get_user_model().objects
    owner, agent = people.get(email="demo@example.com"), people.get(email="agent@example.com")
    draft = in_review(owner)
    root = f"/desk/{draft.application.reference}/parties/"
    documents = {(one.party.token if one.party else "", one.slot): one.pk for one in draft.documents}
    yield Shot("party-open", f"{root}ada/", who="agent")
    yield Shot(
        "party-company",
        f"{root}kestrel/?open=1&document={documents['kestrel', 'Register extract']}&page=7",
        who="agent",
    )
    passport = documents["ada", "Passport"]
    yield Shot("party-turned", f"{root}ada/?open=1&document={passport}&page=2&zoom=150&turn=90", who="agent")
    yield Shot("party-not-shown", f"{root}ada/?open=1&document={documents['ada', 'Letter']}", who="agent")
    yield Shot("party-few-pixels", f"{root}ingrid/", who="agent")
    accept(draft, [_BIRTH, _PEP, _PASSPORT], by=agent, version=current_version(draft.application))
    name = Target.of_field("ada", "person.last_name")
    query = {"text": "The passport has another name.", "reason": QueryReason.DIFFERS}
    draft_query(draft, name, **query, by=agent, version=current_version(draft.application))
    document = draft.documents_of(draft.party("ada"))["Passport"]
    prove(draft, name, document, 2, text="BYRON, ADA", by=agent, version=current_version(draft.application))
    yield Shot("party-asked", f"{root}ada/", who="agent")
    yield Shot("party-asking", f"{root}ada/", who="agent", act=_asking)
    ada = draft.party("ada")
    assert ada is not None
    checked = {"outcome": "cleared", "text": "Another Ada Lovelace, born in 1950.", "done_on": timezone.localdate()}
    report = factories.upload(sample_files.pdf(), "world-check-lovelace.pdf")
    record_screening(draft, ada, kind="sanctions", **checked, upload=report, by=agent)
    record_screening(draft, ada, kind="pep", **checked | {"outcome": "match"}, by=agent)
    yield Shot("party-screened", f"{root}ada/", who="agent", act=_record_nothing)
    yield Shot("party-overtaken", f"{root}ada/", who="agent", act=lambda tab: _overtaken(tab, draft))
    _answered(draft, owner=owner, agent=agent)
    yield Shot("party-answered", f"{root}ada/", who="agent")
    everything = [fact.target for fact in load_checklist(draft).holders[1].facts]
    accept(draft, everything, by=agent, version=current_version(draft.application))
    yield Shot("party-done", f"{root}ada/", who="agent")
    services.withdraw(draft, by=owner)
    yield Shot("party-withdrawn", f"{root}ingrid/", who="agent")


def _kestrel(draft: Draft) -> dict[str, str]:
    asked = draft.schema.fields_of("corporate", ["director"])
    return {spec.name: "Kestrel Capital B.V." for spec in asked if spec.required and spec.field_type == "text"}


def _asking(tab: Tab) -> None:
    tab.locator("#fact-2 .ask-link").click()
    tab.locator("#fact-2").get_by_label("Reason").wait_for()


def _record_nothing(tab: Tab) -> None:
    """A screening check of which only half is typed."""
    tab.locator("#screening summary").click()
    tab.get_by_label("What was found").fill("Nothing yet")
    press(tab, "Record check")


def _overtaken(tab: Tab, draft: Draft) -> None:
    """Somebody else asks about what is ticked."""
    named = {"first_name": "Dev", "is_agent": True}
    # Another walk through the same module may have been here.
    colleague, _ = get_user_model().objects.get_or_create(email="dev@example.com", defaults=named)
    seen = open_draft(Application.objects.get(pk=draft.application.pk))
    first = Target.of_field("ada", "person.first_name")
    draft_query(seen, first, text="Is this all of it?", by=colleague, version=current_version(seen.application))
    press(tab, "Accept all remaining")


def _answered(draft: Draft, *, owner: Any, agent: Any) -> None:
    """It came back with another name and another passport."""
    draft.reload()
    # What was accepted stays as it is, unless all of it is asked about.
    draft_query(
        draft, WHOLE_APPLICATION, text="Look at all of it again.", by=agent, version=current_version(draft.application)
    )
    decide(draft, RETURN, by=agent, version=current_version(draft.application))
    ada = draft.party("ada")
    assert ada is not None
    raw = {**ada.raw, "person.last_name": "King", "xy.person.is_pep": "true", "xy.person.pep_office": "Minister"}
    services.save_party(draft, ada, raw, version=ada.version, by=owner)
    upload_document(draft, draft.party("ada"), "Passport", sample_files.jpeg(), "king-pass.jpg")
    services.submit(draft, by=owner)
