"""States of an application that an agent has returned, for pictures and barriers."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import DECLINE, RETURN
from formation_portal.reviews.models import Query
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.encrypted_rows import update_each
from tests.journeys.page_states.screenshots import Shot, press
from tests.reviews.deciding import decide

_ASKED = {
    Target.of_field("ada", "person.date_of_birth"): "Ada’s date of birth differs from the passport",
    Target.of_document("ada", "Passport"): "The page is cut off on the left. Upload the page with all of its edges",
    Target.of_field("funds", "xy.capital"): "Is this the whole capital, or only what is paid in?",
    Target(TargetKind.SECTION, "funds"): "Please say where the money comes from",
}


def returned_states() -> Iterator[Shot]:
    """Queries about answers, a document and a section; answered; returned once more; declined."""
    people = get_user_model().objects
    owner, agent = people.get(email="demo@example.com"), people.get(email="agent@example.com")
    application = services.start(owner=owner, product=factories.product())
    factories.fill_in(open_draft(application), owner)
    root = f"/applications/{application.reference}/"
    yield Shot("removal-unread", f"{root}removal/", act=partial(_press_unread, application, owner, "Delete"))
    yield Shot("check-unread", f"{root}check/", act=partial(_press_unread, application, owner, "Submit"))
    services.submit(_now(application), by=owner, declaration="I declare it.")
    yield Shot("withdrawal-unread", f"{root}withdrawal/", act=partial(_withdraw_unread, application, agent))
    _give_back(application, agent, _ASKED)
    pages = ("", "status/", "people/ada/", "sections/funds/", "sections/the-company/", "documents/", "shares/")
    for page in pages:
        yield Shot(f"asked-{page or 'overview'}".strip("/").replace("/", "-"), root + page)
    yield Shot("asked-removal", f"{root}people/ada/removal/")
    yield Shot("asked-sent-as-it-was", f"{root}check/", act=_send)
    update_each(
        Query.objects.filter(application=application, kind="document"), reply="It is the only page that there is"
    )
    draft = _now(application)
    section = draft.schema.section("funds")
    assert section is not None
    more = factories.FUNDS | {"xy.capital": {"amount": "60,000", "currency": "USD"}}
    services.save_section(draft, section, more, version=draft.version("funds"), by=owner)
    yield Shot("asked-partly-answered", root)
    services.submit(_now(application), by=owner, declaration="I declare it.")
    yield Shot("asked-status-answered", f"{root}status/")
    _give_back(application, agent, {WHOLE_APPLICATION: "One more thing: who will run it day by day?"})
    yield Shot("asked-status-again", f"{root}status/")
    services.submit(_now(application), by=owner, declaration="I declare it.")
    text = "We can’t form this company for you: its owners can’t be told apart."
    decide(_now(application), DECLINE, text=text, by=agent, version=current_version(_now(application).application))
    yield Shot("asked-declined", f"{root}status/")


def _give_back(application: Application, agent: Any, asked: dict[Target, str]) -> None:
    draft = _now(application)
    targets = [fact.target for fact in load_checklist(draft) if fact.target not in asked]
    accept(draft, targets, by=agent, version=current_version(draft.application))
    for target, text in asked.items():
        proposal = {"day": "14", "month": "6", "year": "1990"} if target.name == "person.date_of_birth" else None
        draft_query(
            draft,
            target,
            text=text,
            proposal=proposal,
            by=agent,
            version=current_version(_now(application).application),
        )
    word = "Thank you. Nearly everything is in order; the rest stands below."
    decide(draft, RETURN, text=word, by=agent, version=current_version(_now(application).application))


def _now(application: Application) -> Draft:
    return open_draft(Application.objects.get(pk=application.pk))


def _press_unread(application: Application, owner: Any, words: str, tab: Tab) -> None:
    """Press a button of a page that was drawn before the last change."""
    draft = _now(application)
    section = draft.schema.section("funds")
    assert section is not None
    more = factories.FUNDS | {"xy.capital": {"amount": f"{55_000 + draft.application.revision}", "currency": "USD"}}
    services.save_section(draft, section, more, version=draft.version("funds"), by=owner)
    for box in tab.locator("#declaration").all():
        box.check()
    press(tab, words)


def _withdraw_unread(application: Application, agent: Any, tab: Tab) -> None:
    services.advance(_now(application), "begin_review", by=agent)
    press(tab, "Withdraw")


def _send(tab: Tab) -> None:
    tab.locator("#declaration").check()
    press(tab, "Send corrections")
