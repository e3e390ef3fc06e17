"""States of a case and of the form to ask about a place of it, for pictures and barriers."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.desk.models import SharedText
from formation_portal.desk.queue import claims
from formation_portal.reviews.queries import delete_draft, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.review_rounds import add_bob, again, ask_at, rename
from tests.journeys.page_states.screenshots import Shot

_NAME = Target.of_field("the-company", "entity.name")
_PURPOSE = Target.of_field("the-company", "charter.purpose")


def case_review_states() -> Iterator[Shot]:
    """One case through two rounds and to its end."""
    people = get_user_model().objects
    owner, agent = people.get(email="demo@example.com"), people.get(email="agent@example.com")
    other = people.create_user("mira@example.com", first_name="Mira", last_name="Okafor", is_agent=True)
    draft = factories.submitted_draft(owner)
    address = f"/desk/{draft.application.reference}/"
    yield Shot("review-untouched", address, who="agent")
    yield from _shared_texts(address, agent)
    yield Shot("review-asking", address, who="agent", act=_open_form)
    yield Shot("review-asked-nothing", address, who="agent", act=_ask_nothing)
    yield Shot("review-overtaken", address, who="agent", act=partial(_come_late, draft=draft, other=other))
    delete_draft(
        factories.again(draft), draft.application.queries.get().pk, by=other, version=current_version(draft.application)
    )
    claims.release([draft.application.pk], by=other)
    factories.accept_everything(draft, agent)
    for target in (_NAME, Target(TargetKind.PARTY, "ada"), WHOLE_APPLICATION):
        ask_at(draft, target, agent, "Say this more exactly")
    write_note(factories.again(draft), WHOLE_APPLICATION, text="Known to us", by=other)
    yield Shot("review-drafted", address, who="agent")
    again(draft, agent, owner, lambda there: _correct(there, owner))
    yield Shot("review-second-round", address, who="agent")
    yield Shot("review-second-round-whole", f"{address}?changed=0", who="agent")
    yield Shot(
        "review-closed-meanwhile",
        f"{address}?changed=0",
        who="agent",
        act=partial(_ask_too_late, draft=draft, owner=owner),
    )
    yield Shot("review-closed", address, who="agent")


def _shared_texts(address: str, agent: Any) -> Iterator[Shot]:
    """The page of shared texts, and one of them inserted into a query and a decision."""
    yield Shot("texts-none", "/desk/texts/", who="agent")
    words = {
        "Certified copy": "Dear {customer},\nplease upload a certified copy for {company}.",
        "Which one": "{question}?",
    }
    for title, text in words.items():
        kept = SharedText.objects.create(title=title, text=text, by=agent, at=timezone.now())
    yield Shot("texts", "/desk/texts/", who="agent")
    yield Shot("texts-refused", "/desk/texts/", who="agent", act=_add_a_wrong_text)
    yield Shot("text", f"/desk/texts/{kept.pk}/", who="agent")
    yield Shot("review-text-inserted", address, who="agent", act=_insert_texts)


def _add_a_wrong_text(tab: Tab) -> None:
    tab.get_by_label("Title").fill("Wrong")
    tab.get_by_label("Text", exact=True).fill("Dear {name}")
    tab.get_by_role("button", name="Add text").click()
    expect(tab.get_by_role("alert", name="The text was not added")).to_be_visible()


def _insert_texts(tab: Tab) -> None:
    _open_form(tab)
    for form, title in ((tab.locator(".ask-form"), "Which one"), (tab.locator(".decision"), "Certified copy")):
        form.get_by_label("Shared text").select_option(title)
        form.get_by_role("button", name="Insert").click()
        expect(form.get_by_label("Message to the customer")).to_be_focused()


def _correct(draft: Draft, owner: Any) -> None:
    rename(draft, "Larkfield Overseas", owner)
    add_bob(factories.again(draft), owner)


def _open_form(tab: Tab) -> None:
    tab.get_by_role("link", name="Ask about Purpose").click()
    expect(tab.locator(".ask-form").get_by_label("Reason")).to_be_focused()


def _ask_nothing(tab: Tab) -> None:
    _open_form(tab)
    tab.get_by_role("button", name="Save query").click()
    expect(tab.get_by_role("alert", name="Your query was not saved")).to_be_visible()


def _come_late(tab: Tab, *, draft: Draft, other: Any) -> None:
    _open_form(tab)
    tab.locator(".ask-form").get_by_label("To the customer").fill("Which trade?")
    ask_at(draft, _PURPOSE, other, "Which goods?")
    tab.get_by_role("button", name="Save query").click()
    expect(tab.get_by_role("group", name="This case changed after you opened the page")).to_be_visible()


def _ask_too_late(tab: Tab, *, draft: Draft, owner: Any) -> None:
    _open_form(tab)
    tab.locator(".ask-form").get_by_label("To the customer").fill("Which trade?")
    services.withdraw(factories.again(draft), by=owner)
    with tab.expect_navigation():
        tab.get_by_role("button", name="Save query").click()
    expect(tab.get_by_label("To the customer")).to_have_value("Which trade?")
