"""States of the queue and of a claim, for pictures and barriers."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from django.contrib.auth import get_user_model
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.desk.case.news import note_presence
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims, search
from tests.desk.factories import submitted_ones
from tests.desk.identity_numbers import PASSPORT_NUMBER, number, propose, submitted_with_numbers
from tests.desk.review_rounds import again, ask_at
from tests.encrypted_rows import update_each
from tests.journeys.page_states.screenshots import Shot, press

_NAMES = ("Larkfield Holdings Limited", "Northlight Cable B.V.", "Stiftung Hallwyl", "Halcyon Reef Limited")


def queue_states() -> Iterator[Shot]:
    """Cases of every kind, the agent's own and another's."""
    people = get_user_model().objects
    owner, agent = people.get(email="demo@example.com"), people.get(email="agent@example.com")
    other = people.create_user("dev@example.com", first_name="Dev", last_name="Ramanathan", is_agent=True)
    yield Shot("queue-overdue-none", "/desk/?view=overdue", who="agent")
    cases = [
        *submitted_ones(owner, 1, first_days=8),
        *submitted_ones(owner, 1, first_days=4, submissions=2),
        *submitted_ones(owner, 1, first_days=2, state=State.IN_REVIEW),
        *submitted_ones(owner, 1, first_days=1, state=State.RETURNED_FOR_CHANGES),
    ]
    for case, name in zip(cases, _NAMES, strict=True):
        update_each(Case.objects.filter(pk=case.pk), title=name)
    claims.claim([cases[0].pk], by=agent)
    claims.assign({cases[1].pk: ""}, to=agent, by=other)
    note_presence(cases[2].pk, agent=agent, version=0)
    claims.claim([cases[2].pk], by=other)
    yield Shot("queue-of-every-kind", "/desk/", who="agent")
    narrowed = f"/desk/?state=in_review&holder={agent.pk}"
    yield Shot("queue-narrowed", narrowed, who="agent", act=lambda tab: _search(tab, "larkfield"))
    yield Shot("queue-nothing-fits", "/desk/", who="agent", act=lambda tab: _search(tab, "nobody-at-all"))
    yield Shot("queue-search-ended", "/desk/?search=of-yesterday", who="agent")
    yield Shot("queue-keys", "/desk/?view=mine", who="agent", act=lambda tab: tab.keyboard.press("?"))
    yield Shot("queue-claimed", "/desk/?view=answered", who="agent", act=_claim_all)
    yield Shot("queue-assigned-to-nobody", "/desk/", who="agent", act=_assign_to_nobody)
    yield Shot("queue-news", "/desk/?view=unclaimed", who="agent", act=lambda tab: _look(tab, owner))
    for case, name in zip(cases, ("mine", "assigned", "theirs", "with-customer"), strict=True):
        yield Shot(f"case-{name}", f"/desk/{case.reference}/", who="agent")
    yield Shot("case-news", f"/desk/{cases[3].reference}/", who="agent", act=lambda tab: _claimed_meanwhile(tab, other))
    submitted_ones(owner, 30)
    yield Shot("queue-pages", "/desk/?sort=newest", who="agent")
    with patch.multiple(search, _MAX_SORTED=1, _MAX_SCANNED=2):
        yield Shot("queue-looked-through", "/desk/", who="agent", act=lambda tab: _search(tab, "ingrid solheim"))
    yield from _numbers(owner, agent)
    [followed] = submitted_ones(owner, 1)
    status = f"/applications/{followed.reference}/status/"
    yield Shot("status-news", status, act=lambda tab: _moved_meanwhile(tab, followed, agent))


def _numbers(owner: Any, agent: Any) -> Iterator[Shot]:
    """The numbers that somebody is known by, masked, shown, and hidden again."""
    draft = submitted_with_numbers(owner)
    address = f"/desk/{draft.application.reference}/parties/ada/"
    yield Shot("numbers-masked", address, who="agent")
    yield Shot("numbers-shown", address, who="agent", act=_show_numbers)
    ask_at(draft, PASSPORT_NUMBER, agent)
    again(draft, agent, owner, lambda draft: number(draft, {"person.passport_number": "QX 0000 1821"}, owner))
    yield Shot("numbers-changed", address, who="agent")
    yield Shot("numbers-changed-shown", address, who="agent", act=_show_numbers)
    propose(draft, "QX 7394 1921", agent)
    yield Shot("numbers-proposed", address, who="agent")
    form = f"/desk/{draft.application.reference}/remarks/?place={PASSPORT_NUMBER}"
    yield Shot("numbers-form", form, who="agent")


def _show_numbers(tab: Tab) -> None:
    tab.get_by_role("button", name="Show numbers").click()
    expect(tab.get_by_role("link", name="Hide numbers")).to_be_focused()


def _search(tab: Tab, words: str) -> None:
    tab.get_by_label("Name or reference").fill(words)
    press(tab, "Apply")


def _claim_all(tab: Tab) -> None:
    for box in tab.locator("tbody .tick input").all():
        box.check()
    press(tab, "Claim selected")


def _assign_to_nobody(tab: Tab) -> None:
    tab.locator("tbody .tick input").first.check()
    press(tab, "Assign selected")


def _claimed_meanwhile(tab: Tab, other: Any) -> None:
    """Another agent opens and claims the case that is open here, which the page hears of without the wait."""
    reference = tab.url.rstrip("/").rpartition("/")[2]
    case = Case.objects.get(application__reference=reference)
    note_presence(case.pk, agent=other)
    claims.claim([case.pk], by=other)
    tab.evaluate("document.getElementById('news').dispatchEvent(new Event('look'))")
    expect(tab.locator("#news")).to_contain_text("Dev Ramanathan claimed this")


def _moved_meanwhile(tab: Tab, application: Application, agent: Any) -> None:
    """The review begins while the customer has the status page open."""
    services.advance(open_draft(application), "begin_review", by=agent)
    tab.evaluate("document.getElementById('news').dispatchEvent(new Event('look'))")
    expect(tab.locator("#news")).to_have_text("There is an update. Show")


def _look(tab: Tab, owner: object) -> None:
    """The page looks for news now, without the wait."""
    submitted_ones(owner, 1)
    tab.evaluate("document.getElementById('news').dispatchEvent(new Event('look'))")
    expect(tab.locator("#news")).to_contain_text("1 new case")
