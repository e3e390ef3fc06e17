"""Deciding about an application: at once, or, with four eyes, once a second agent has confirmed it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.services import advance
from formation_portal.contract.lifecycle import State
from formation_portal.core import subscribers

from .facts import facts_of
from .grounds import Ground
from .models import TEXT_LIMIT, Outcome, Ruling
from .objections import objections
from .refusals import NotYet, Refused
from .remarks import send_in
from .reviewing import UNDER_REVIEW, Work, reviewing
from .seen import ask_about_unseen
from .since import Sight, since

RETURN, APPROVE, DECLINE, INCORPORATE = "return", "approve", "decline", "record_incorporation"
# What a second agent confirms where the setting asks for four eyes.
_FOR_TWO = frozenset({APPROVE, DECLINE})
_STATES = {INCORPORATE: frozenset({State.SUBMITTED_TO_CSP})}


@dataclass(frozen=True, slots=True)
class Registration:
    """What the registry has made of an incorporation: the company's number there, and the day of its entry."""

    number: str
    day: date


def rule(
    draft: Draft,
    deed: str,
    *,
    text: str = "",
    reason: str = "",
    registration: Registration | None = None,
    unseen: Collection[int] | None = None,
    by: AbstractBaseUser,
    sight: Sight,
) -> Ruling:
    """Decide, or propose it where a second agent has to confirm it. `text` is for the customer,
    `registration` what the registry has made of an incorporation.

    A return sends every drafted remark. Raises Overtaken where others have changed anything since the page was drawn,
    NotYet where something speaks against an approval, Unseen where who approves has not opened a document that is not
    among the `unseen` ones (None: that is not asked), Refused, Closed.
    """
    _look(deed, text=text, reason=reason)
    with reviewing(draft, by=by, sight=sight, states=_STATES.get(deed, UNDER_REVIEW)) as work:
        _nothing_new(work)
        waiting = waiting_ruling(draft)
        if waiting is not None and deed in _FOR_TWO:
            raise Refused("Another decision is already awaiting a second agent.")
        _object(work, deed, text=text, unseen=unseen)
        ruling = Ruling(application=draft.application, deed=deed, text=text.strip(), reason=reason)
        if registration is not None:
            ruling.register_number, ruling.registered_on = registration.number, registration.day
        ruling.proposed_by_id, ruling.proposed_at, ruling.round = by.pk, timezone.now(), draft.application.submissions
        if deed in _FOR_TWO and settings.FOUR_EYES:
            work.write(ruling, "propose", outcome=Outcome.WAITING)
        else:
            if waiting is not None:
                work.write(waiting, "overtake", outcome=Outcome.OVERTAKEN)
            _carry_out(work, ruling)
        return ruling


def confirm(draft: Draft, *, unseen: Collection[int] | None = None, by: AbstractBaseUser, sight: Sight) -> Ruling:
    """Carry out what another agent has proposed. Raises as `rule`; Refused to whoever proposed it."""
    with reviewing(draft, by=by, sight=sight, is_own_work=False) as work:
        _nothing_new(work)
        ruling = _proposed(draft, by)
        _object(work, ruling.deed, text=ruling.text, unseen=unseen)
        _carry_out(work, ruling)
        return ruling


def refuse(draft: Draft, *, why: str, by: AbstractBaseUser, sight: Sight) -> Ruling:
    """Say no to what another agent has proposed; `why` is for colleagues. Raises Overtaken, Refused and Closed."""
    if not why.strip():
        raise Refused("Enter a reason.", field="why")
    if len(why) > TEXT_LIMIT:
        raise Refused(f"Use {TEXT_LIMIT:,} characters or fewer.", field="why")
    with reviewing(draft, by=by, sight=sight, is_own_work=False) as work:
        _nothing_new(work)
        ruling = _proposed(draft, by)
        work.write(ruling, "refuse", outcome=Outcome.REFUSED, refusal=why.strip())
        subscribers.proposal_refused(draft, ruling=ruling, by=by)
        return ruling


def take_back(draft: Draft, *, by: AbstractBaseUser, sight: Sight) -> Ruling:
    """Take back what one has proposed oneself. Raises Overtaken, Refused and Closed."""
    with reviewing(draft, by=by, sight=sight) as work:
        _nothing_new(work)
        ruling = _waiting(draft)
        if ruling.proposed_by_id != by.pk:
            raise Refused(f"Only {ruling.proposed_by.called} can withdraw this.")
        work.write(ruling, "take_back", outcome=Outcome.REFUSED)
        return ruling


def waiting_ruling(draft: Draft) -> Ruling | None:
    """The decision that waits for a second agent: one query."""
    found = Ruling.objects.filter(application=draft.application, outcome=Outcome.WAITING)
    return found.select_related("proposed_by", "by").first()


def registration_of(application: Application) -> Registration | None:
    """What the registry has made of it, as it was recorded: one query, where it was incorporated."""
    if application.status is not State.INCORPORATED:
        return None
    done = Ruling.objects.filter(application=application, deed=INCORPORATE, outcome=Outcome.DONE).first()
    if done is None or not done.register_number or done.registered_on is None:
        return None
    return Registration(done.register_number, done.registered_on)


def _look(deed: str, *, text: str, reason: str) -> None:
    if deed not in (RETURN, APPROVE, DECLINE, INCORPORATE):
        raise Refused("Select a decision.", field="deed")
    if len(text) > TEXT_LIMIT:
        raise Refused(f"Use {TEXT_LIMIT:,} characters or fewer.", field="text")
    if deed == DECLINE and not text.strip():
        raise Refused("Tell the customer why.", field="text")
    if reason and reason not in Ground.values:
        raise Refused("Select a reason.", field="reason")


def _nothing_new(work: Work) -> None:
    """A decision is about everything, so that anything that others did comes first."""
    if work.review.version > work.sight.version and since(work.draft.application, work.sight, by=work.by):
        raise work.overtaken()


def _object(work: Work, deed: str, *, text: str, unseen: Collection[int] | None) -> None:
    if deed == APPROVE:
        facts = facts_of(work.draft)
        if found := objections(work.draft, facts):
            raise NotYet(found)
        ask_about_unseen(work.draft, facts, unseen, by=work.by)
    if deed == RETURN and not text.strip() and not facts_of(work.draft).drafted:
        raise Refused("Raise a query about an answer or a document, or write here what needs to change.", field="text")


def _proposed(draft: Draft, by: AbstractBaseUser) -> Ruling:
    ruling = _waiting(draft)
    if ruling.proposed_by_id == by.pk:
        raise Refused("You proposed this, so a second agent has to confirm it.")
    return ruling


def _waiting(draft: Draft) -> Ruling:
    ruling = waiting_ruling(draft)
    if ruling is None:
        raise Refused("There is no longer a decision to confirm.")
    return ruling


def _carry_out(work: Work, ruling: Ruling) -> None:
    remarks = send_in(work) if ruling.deed == RETURN else []
    work.write(ruling, "confirm" if ruling.pk else "decide", outcome=Outcome.DONE)
    advance(work.draft, ruling.deed, by=work.by, note=_for_the_service(ruling, remarks))
    if ruling.deed == RETURN:
        subscribers.application_returned(work.draft, remarks=remarks)


def _for_the_service(ruling: Ruling, remarks: list[Any]) -> str:
    registered = f"Registration number {ruling.register_number}" if ruling.register_number else ""
    if ruling.registered_on:
        registered += f", registered on {ruling.registered_on.isoformat()}"
    told = (registered, ruling.text, *(f"{one.label}: {one.text}" for one in remarks))
    return "\n".join(part for part in told if part)
