"""States of the decision about a case, for pictures and barriers."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from django.contrib.auth import get_user_model
from django.test import override_settings
from playwright.sync_api import Page as Tab

from formation_portal.accounts.models import Right
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.desk.queue.claims import claim, release
from formation_portal.reviews.decisions import APPROVE, DECLINE, INCORPORATE, Registration, refuse_proposal
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.journeys.page_states.screenshots import Shot, press
from tests.reviews.deciding import decide, let_decisions_take_effect

_REGISTRATION = Registration("HRB 1234", date(2026, 11, 20))
_WORDS = "The register extract must not be older than three months."


def decision_states() -> Iterator[Shot]:
    """The form with every blocker, with none, and after each post that was refused."""
    people = get_user_model().objects
    owner, agent = people.get(email="demo@example.com"), people.get(email="agent@example.com")
    colleague = people.get(email="colleague@example.com")
    open_ = _submitted_draft(owner)
    claim([open_.application.pk], by=agent)
    yield _shot("decision-open", open_)
    yield _shot("documents-unseen", open_, "parties/ada/", act=lambda tab: press(tab, "Accept all remaining"))
    yield _shot("decision-nothing-chosen", open_, "ruling/", act=lambda tab: press(tab, "Record decision"))
    yield _shot("decision-decline-without-words", open_, "ruling/", act=_decline)
    yield _shot("decision-overtaken", open_, "ruling/", act=lambda tab: _overtaken(tab, open_, colleague))
    yield _shot("decision-return", open_)
    yield _shot("decision-withdrawn", open_, "ruling/", act=lambda tab: _withdrawn(tab, open_, owner))
    checked = _submitted_draft(owner)
    factories.accept_everything(checked, agent)
    yield _shot("decision-checked", checked)
    yield _shot("decision-asked-again", checked, "ruling/", act=_approve_by_key)
    yield _shot("decision-stopped", checked, "ruling/", act=lambda tab: _stopped(tab, checked, agent))
    yield from _four_eyes(owner, agent, colleague)
    yield from _without_rights(checked, agent)


def _four_eyes(owner: Any, agent: Any, colleague: Any) -> Iterator[Shot]:
    mine, theirs = _submitted_draft(owner), _submitted_draft(owner)
    with override_settings(FOUR_EYES=True):
        factories.accept_everything(mine, agent)
        decide(mine, APPROVE, by=agent, version=current_version(mine.application))
        words = {"text": "We can't form this company.", "reason": "activity"}
        decide(theirs, DECLINE, **words, by=colleague, version=current_version(theirs.application))
        yield Shot("queue-to-confirm", "/desk/?view=confirm", who="agent")
        yield _shot("decision-waits-mine", mine)
        yield _shot("decision-waits-theirs", theirs)
        yield _shot("decision-refused-without-a-word", theirs, act=lambda tab: press(tab, "Do not confirm"))
        yield _shot("decision-confirmed", theirs, act=lambda tab: press(tab, "Confirm"))
        yield _shot("decision-scheduled", theirs)
        let_decisions_take_effect()
        yield _shot("decision-before", theirs)
        yield _shot("decision-taken-back", mine, act=lambda tab: press(tab, "Withdraw"))
        factories.accept_everything(refused := _submitted_draft(owner), agent)
        decide(refused, APPROVE, by=agent, version=current_version(refused.application))
        refuse_proposal(refused, why=_WORDS, by=colleague, version=current_version(refused.application))
        yield Shot("queue-decision-refused", "/desk/", who="agent")
        yield _shot("decision-refused", refused)
        yield _shot("decision-unseen", refused, "ruling/", act=lambda tab: press(tab, "Approve"))
    decide(mine, APPROVE, by=agent, version=current_version(mine.application))
    yield _shot("decision-at-the-registry", mine)
    yield _shot("incorporation-nothing-typed", mine, "ruling/", act=lambda tab: press(tab, "Record the incorporation"))
    decide(mine, INCORPORATE, registration=_REGISTRATION, by=agent, version=current_version(mine.application))
    yield _shot("incorporation-recorded", mine)
    yield Shot("queue-closed", "/desk/?view=closed", who="agent")


def _without_rights(draft: Draft, agent: Any) -> Iterator[Shot]:
    agent.set_rights([Right.ALL_CASES])
    yield _shot("decision-not-mine", draft)
    yield Shot("right-missing", "/desk/audit/", who="agent")
    agent.set_rights([Right.OWN_CASES, Right.REVIEW])
    release([draft.application.pk], by=agent)
    yield Shot("queue-without-names", "/desk/?view=all", who="agent")
    yield _shot("case-not-claimed", draft)
    owner = draft.application.owner
    Application.objects.filter(pk=draft.application.pk).update(owner=agent)
    yield _shot("case-own", draft)
    Application.objects.filter(pk=draft.application.pk).update(owner=owner)
    agent.set_rights(Right.values)


def _submitted_draft(owner: Any) -> Draft:
    return factories.submitted_draft(owner)


def _shot(name: str, draft: Draft, more: str = "", **act: Any) -> Shot:
    return Shot(name, f"/desk/{draft.application.reference}/{more}", who="agent", **act)


def _decline(tab: Tab) -> None:
    tab.get_by_role("radio", name="Decline").check()
    press(tab, "Record decision")


def _approve_by_key(tab: Tab) -> None:
    with tab.expect_navigation():
        tab.get_by_role("button", name="Approve and open the next case").press("Enter")


def _overtaken(tab: Tab, draft: Draft, colleague: Any) -> None:
    target, version = Target.of_field("ada", "person.date_of_birth"), current_version(draft.application)
    draft_query(draft, target, text="The passport says 1984.", by=colleague, version=version)
    tab.get_by_role("radio", name="Return").check()
    tab.get_by_label("Message to the customer").fill(_WORDS)
    press(tab, "Record decision")


def _withdrawn(tab: Tab, draft: Draft, owner: Any) -> None:
    services.withdraw(draft, by=owner)
    tab.get_by_label("Message to the customer").fill(_WORDS)
    press(tab, "Record decision")


def _stopped(tab: Tab, draft: Draft, agent: Any) -> None:
    """An agent's own query is no conflict, and still blocks the approval."""
    draft_query(draft, WHOLE_APPLICATION, text="One thing", by=agent, version=current_version(draft.application))
    write_note(draft, WHOLE_APPLICATION, text="Known to us", by=agent)
    press(tab, "Approve and open the next case")
