"""Who works on a case. A claim says who and since when, expires by itself, can be taken over for a reason, and is given
to a colleague by assigning the case.

A claim is one update under a condition, so that of two agents at once one has the case, and the other is told. Claiming
begins the review, in the same transaction; releasing ends nothing.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AbstractUser
from django.contrib.messages import ERROR, SUCCESS
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.access import own_applications, refuse_own_applications
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import is_possible
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision
from formation_portal.reviews.transactions import ClaimedByColleague

from ..models import WORD_LIMIT, Case
from .notices import send_notice

_BEGIN_REVIEW = "begin_review"
# What a draft reads of each application, here for all of them at once.
_PARTS = ("section_answers", "parties", "share_classes", "holdings", "documents")


def lock_applications(applications: Collection[int]) -> list[Application]:
    """The applications, locked as every change of one locks it: before anything else that a claim writes to, and in
    one order, so that nobody waits for each other for ever. A query, and one for each part of them."""
    found = Application.objects.filter(pk__in=applications, deleted_at=None).select_related("owner")
    return list(found.prefetch_related(*_PARTS).order_by("pk").select_for_update(of=("self",)))


def begin_reviews(applications: Collection[Application], won: Collection[int], *, by: AbstractUser) -> None:
    """Begin the review of what was won and only waits for it. Each is a change of its own, with its line in the
    history, its row for the service and its entry in the audit."""
    for application in applications:
        if application.pk in won and is_possible(_BEGIN_REVIEW, application.status):
            services.advance(open_draft(application), _BEGIN_REVIEW, by=by)


UNCLAIMED: dict[str, Any] = {
    "claimed_by_id": None,
    "claimed_at": None,
    "taken_from_id": None,
    "word": "",
    "assigned_by_id": None,
}


def unclaimed() -> Q:
    """The cases that nobody works on: never claimed, or so long ago that the claim has ended."""
    return Q(claimed_at=None) | Q(claimed_at__lte=_oldest_valid_claim())


_WORD = Case._meta.get_field("word")


def paid_for() -> Q:
    """The cases but for those whose submission waits for the customer's payment."""
    return Q(application__payment_due_since=None)


def claimed_by(agent_id: int) -> Q:
    """The cases that an agent works on."""
    return Q(claimed_by=agent_id, claimed_at__gt=_oldest_valid_claim())


def not_proposed_by(agent_id: int) -> Q:
    """The cases but for those whose decision, proposed by this agent, waits for a second one."""
    return ~Q(proposed_by=agent_id)


def not_decided() -> Q:
    """The cases but for those whose decision takes effect within seconds."""
    scheduled = ReviewDecision.objects.filter(application=OuterRef("pk"), outcome=DecisionOutcome.SCHEDULED)
    return ~Q(Exists(scheduled))


def not_own_of(agent_id: int) -> Q:
    """The cases but for those of the agent's own applications."""
    return ~Q(Exists(Application.objects.concerning(agent_id).filter(pk=OuterRef("pk"))))


def claim(cases: Collection[int], *, by: AbstractUser) -> tuple[list[Case], list[Case]]:
    """Claim what can be claimed of these, by their applications, and begin their reviews. Closed ones are left out, and
    so are those of one's own applications.

    One's own claims begin anew, so that they last. Returns those that are one's own now, and those that somebody else
    has.
    """
    with transaction.atomic():
        applications = lock_applications(cases)
        cases = set(cases) - own_applications(by.pk, cases)
        # Locked in one order, so that two agents with the same cases don't wait for each other for ever.
        can_be_claimed = Case.objects.filter(paid_for(), pk__in=cases).exclude(open_since=None)
        found = list(can_be_claimed.order_by("pk").select_for_update(of=("self",)))
        is_free = unclaimed() | Q(claimed_by=by.pk)
        chosen = Case.objects.filter(pk__in=[case.pk for case in found])
        chosen.filter(is_free).update(**_claim_columns(by))
        now = list(chosen.select_related("claimed_by").order_by("pk"))
        won = [case for case in now if case.claimed_by_id == by.pk]
        begin_reviews(applications, {case.pk for case in won}, by=by)
        whole = {application.pk: application for application in applications}
        for case in won:
            _append_to_audit_log(whole[case.pk], case, by=by, did="claim")
        return won, [case for case in now if case.claimed_by_id != by.pk]


@transaction.atomic
def take_over(case: Case, *, by: AbstractUser, word: str) -> bool:
    """Claim what the agent whom the page named has claimed, saying why, and tell that agent. False where it is somebody
    else's by now."""
    previous = case.claimed_by
    seen = Case.objects.filter(pk=case.pk, claimed_by=case.claimed_by_id).exclude(open_since=None)
    moved = _claim_columns(by) | {"taken_from_id": case.claimed_by_id, "word": _WORD.stored(word[:WORD_LIMIT], case)}
    if not _claim_if(case, seen, moved, by=by, did="take_over"):
        return False
    send_notice("case_taken_over", open_draft(case.application), to=previous, by=by)
    return True


def claim_or_take_over(application_id: int, *, by: AbstractUser, taken_from: str, word: str) -> tuple[int, str]:
    """Claim one case, or take it over from the agent whom the page named, for a reason. Returns what to say, with its
    level."""
    claimed, closed = (SUCCESS, "You have claimed this case."), (ERROR, "This case is closed, so it cannot be claimed.")
    case = Case.objects.select_related("claimed_by", "application").filter(pk=application_id).first()
    if case is None or case.open_since is None:
        return closed
    if case.application.payment_due_since is not None:
        return ERROR, "The formation service is waiting for the customer’s payment, so this case cannot be claimed."
    if taken_from and case.is_claimed and case.claimed_by_id != by.pk:
        if taken_from != str(case.claimed_by_id):
            return ERROR, already_claimed(case, "this case")
        if not word:
            return ERROR, "Enter a reason for taking over this case."
        if take_over(case, by=by, word=word):
            return claimed
    won, lost = claim([application_id], by=by)
    return claimed if won else (ERROR, already_claimed(lost[0], "this case")) if lost else closed


def assign(shown: Mapping[int, str], *, to: AbstractUser, by: AbstractUser) -> tuple[list[Case], list[Case]]:
    """Give cases to a colleague who may claim them; their claims begin now, and so do the reviews.

    `shown` are the cases, by their applications, each with the number of the agent whom the page named, or "". Returns
    those that were given, and those that somebody else has by now, or that are the colleague's already. Closed ones are
    left out. Raises OwnApplication where one is the application of either.
    """
    with transaction.atomic():
        applications = {one.pk: one for one in lock_applications(shown)}
        for agent in (by, to):
            refuse_own_applications(applications, agent=agent.pk)
        open_cases = Case.objects.filter(paid_for(), pk__in=shown).exclude(open_since=None).select_related("claimed_by")
        given: list[Case] = []
        kept: list[Case] = []
        for case in open_cases.order_by("pk").select_for_update(of=("self",)):
            is_as_shown = case.claimed_by_id == by.pk or shown[case.pk] == str(case.claimed_by_id)
            is_free = not case.is_claimed or (is_as_shown and case.claimed_by_id != to.pk)
            (given if is_free else kept).append(case)
        claimed = _claim_columns(to) | {"assigned_by_id": by.pk}
        for case in given:
            had = case.claimed_by_id if case.is_claimed and case.claimed_by_id != by.pk else None
            for name, value in (claimed | {"taken_from_id": had}).items():
                setattr(case, name, value)
        Case.objects.bulk_update(given, [name.removesuffix("_id") for name in claimed])
        begin_reviews(applications.values(), {case.pk for case in given}, by=by)
        for case in given:
            _append_to_audit_log(applications[case.pk], case, by=by, did="assign", to=to.pk)
        return given, kept


def already_claimed(case: Case, named: str) -> str:
    """Who has the case."""
    return f"{case.claimed_by.called if case.claimed_by else 'A colleague'} has already claimed {named}."


def release(cases: Collection[int], *, by: AbstractUser) -> int:
    """Give one's own claims back; how many there were."""
    with transaction.atomic():
        own = Case.objects.filter(claimed_by(by.pk), pk__in=cases).select_related("application").order_by("pk")
        found = list(own.select_for_update(of=("self",)))
        Case.objects.filter(pk__in=[case.pk for case in found]).update(**UNCLAIMED, changed_at=timezone.now())
        for case in found:
            _append_to_audit_log(case.application, Case(pk=case.pk, **UNCLAIMED), by=by, did="release")
        return len(found)


def claim_free(case: Case, *, free: Q, by: AbstractUser) -> bool:
    """Claim the case, if it is free still."""
    return _claim_if(case, Case.objects.filter(free, pk=case.pk), _claim_columns(by), by=by, did="claim")


def claim_when_working(draft: Draft, *, by: Any) -> None:
    """Whoever checks, accepts, asks or notes something works on the case: it is theirs where it was nobody's, and its
    review begins, unless it is not paid for. For who holds the lock of its application; one query."""
    if draft.application.payment_due_since is not None:
        return
    free = Case.objects.filter(unclaimed(), pk=draft.application.pk).exclude(open_since=None)
    claim = _claim_columns(by)
    if free.update(**claim):
        if is_possible(_BEGIN_REVIEW, draft.application.status):
            services.advance(draft, _BEGIN_REVIEW, by=by)
        _append_to_audit_log(draft.application, Case(pk=draft.application.pk, **claim), by=by, did="claim")


def refuse_claimed_case(draft: Draft, *, by: AbstractBaseUser) -> None:
    """Raise ClaimedByColleague where somebody else works on the case. For the holder of the lock of its application;
    one query."""
    case = Case.objects.filter(pk=draft.application.pk).select_related("claimed_by").first()
    if case is not None and case.is_claimed and case.claimed_by is not None and case.claimed_by_id != by.pk:
        raise ClaimedByColleague(case.claimed_by.called)


def give_back(application: Application, *, to: AbstractUser, by: AbstractUser) -> None:
    """The case is this agent's again, whoever works on it: `by` has refused what they proposed. For who holds the lock
    of its application."""
    claimed = _claim_columns(to)
    if own_applications(to.pk, [application.pk]):
        return
    if Case.objects.filter(pk=application.pk).exclude(open_since=None).update(**claimed):
        _append_to_audit_log(application, Case(pk=application.pk, **claimed), by=by, did="give_back")


@transaction.atomic
def _claim_if(case: Case, if_still: QuerySet[Case], claim: dict[str, Any], *, by: AbstractUser, did: str) -> bool:
    """Claim the case if it still is as the condition says, and begin its review. Raises OwnApplication."""
    applications = lock_applications([case.pk])
    refuse_own_applications([case.pk], agent=by.pk)
    # PostgreSQL looks at the condition of an update once only where it joins another table.
    list(Case.objects.filter(pk=case.pk).select_for_update())
    if not if_still.filter(paid_for()).update(**claim):
        return False
    begin_reviews(applications, {case.pk}, by=by)
    for application in applications:
        _append_to_audit_log(application, Case(pk=case.pk, **claim), by=by, did=did)
    return True


def _append_to_audit_log(application: Application, case: Case, *, by: AbstractUser, did: str, **details: Any) -> None:
    """An entry of the audit, which attests who has the case by now, since when, from whom, and why."""
    if case.taken_from_id:
        details["taken_from"] = case.taken_from_id
    chain.append(AuditAction.CLAIM, by=by, application=application, rows=[case], did=did, **details)


def _claim_columns(agent: AbstractUser) -> dict[str, Any]:
    now = timezone.now()
    return UNCLAIMED | {"claimed_by_id": agent.pk, "claimed_at": now, "changed_at": now}


def _oldest_valid_claim() -> datetime:
    return timezone.now() - timedelta(hours=settings.CLAIM_HOURS)
