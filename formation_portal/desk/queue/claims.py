"""Claim, take over, assign and release cases. A claim expires by itself.

A claim is one conditional update, so that of two agents only one gets the case. It begins the review, in the same
transaction; a release does not end the review.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AbstractUser
from django.contrib.messages import ERROR, SUCCESS
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.access import own_applications, refuse_own_applications
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import is_possible
from formation_portal.reviews.transactions import ClaimedByColleague

from ..models import TAKEOVER_REASON_LIMIT, Case
from .notices import send_notice

_BEGIN_REVIEW = "begin_review"
_PAID_FOR = Q(application__payment_due_since=None)
# The relations that a draft reads, prefetched for all applications.
_PARTS = ("section_answers", "parties", "share_classes", "holdings", "documents")


def lock_applications(applications: Collection[int]) -> dict[int, Application]:
    """Lock the applications before a claim writes, in a fixed order, so that no two claims wait for each other."""
    rows = Application.objects.filter(pk__in=applications, deleted_at=None).select_related("owner")
    locked = rows.prefetch_related(*_PARTS).order_by("pk").select_for_update(of=("self",))
    return {application.pk: application for application in locked}


UNCLAIMED: dict[str, Any] = {
    "claimed_by_id": None,
    "claimed_at": None,
    "taken_from_id": None,
    "takeover_reason": "",
    "assigned_by_id": None,
}


def unclaimed() -> Q:
    """Match the cases that were never claimed, or whose claim has expired."""
    return Q(claimed_at=None) | Q(claimed_at__lte=_oldest_valid_claim())


def claimed_by(agent_id: int) -> Q:
    return Q(claimed_by=agent_id, claimed_at__gt=_oldest_valid_claim())


def not_proposed_by(agent_id: int) -> Q:
    """Match the cases without a waiting proposal of this agent."""
    return ~Q(proposed_by=agent_id)


@transaction.atomic
def claim(cases: Collection[int], *, by: AbstractUser) -> tuple[list[Case], list[Case]]:
    """Claim the cases with these primary keys, and begin their reviews. Leaves out closed cases and the agent's own
    applications. Returns the cases that the agent has now, and those that colleagues have."""
    applications = lock_applications(cases)
    can_be_claimed = Case.objects.filter(_PAID_FOR, pk__in=set(cases) - own_applications(by.pk, cases))
    # Lock in a fixed order, so that two agents with the same cases cannot deadlock.
    locked = can_be_claimed.exclude(open_since=None).order_by("pk").select_for_update(of=("self",))
    chosen = Case.objects.filter(pk__in=[case.pk for case in locked])
    chosen.filter(unclaimed() | Q(claimed_by=by.pk)).update(**_claim_columns(by))
    won: list[Case] = []
    lost: list[Case] = []
    for case in chosen.select_related("claimed_by").order_by("pk"):
        if case.claimed_by_id != by.pk:
            lost.append(case)
            continue
        won.append(case)
        _record_claim(open_draft(applications[case.pk]), case, by=by, did="claim")
    return won, lost


@transaction.atomic
def take_over(case: Case, *, by: AbstractUser, reason: str) -> bool:
    """Claim a case from its claimant, and tell the claimant. Returns False if the case is closed or another's now."""
    as_shown = Case.objects.filter(pk=case.pk, claimed_by=case.claimed_by_id).exclude(open_since=None)
    columns = _claim_columns(by)
    columns["taken_from_id"] = case.claimed_by_id
    field = Case._meta.get_field("takeover_reason")
    columns["takeover_reason"] = field.stored(reason[:TAKEOVER_REASON_LIMIT], case)
    if not _claim_if(case, as_shown, columns, by=by, did="take_over"):
        return False
    send_notice("case_taken_over", open_draft(case.application), to=case.claimed_by, by=by)
    return True


def claim_or_take_over(application_id: int, *, by: AbstractUser, taken_from: str, reason: str) -> tuple[int, str]:
    """Claim a case, or take the case over from the claimant on the page. Returns a message's level and text."""
    claimed = (SUCCESS, "You have claimed this case.")
    closed = (ERROR, "This case is closed, so it cannot be claimed.")
    case = Case.objects.select_related("claimed_by", "application").filter(pk=application_id).first()
    if case is None or case.open_since is None:
        return closed
    if case.application.payment_due_since is not None:
        return ERROR, "The formation service is waiting for the customer’s payment, so this case cannot be claimed."
    if taken_from and case.is_claimed and case.claimed_by_id != by.pk:
        if taken_from != str(case.claimed_by_id):
            return ERROR, already_claimed(case, "this case")
        if not reason:
            return ERROR, "Enter a reason for taking over this case."
        if take_over(case, by=by, reason=reason):
            return claimed
    won, lost = claim([application_id], by=by)
    if won:
        return claimed
    if lost:
        return ERROR, already_claimed(lost[0], "this case")
    return closed


@transaction.atomic
def assign(cases: Mapping[int, str], *, to: AbstractUser, by: AbstractUser) -> tuple[list[Case], list[Case]]:
    """Assign cases to a colleague who may claim them, and begin their reviews. Leaves out closed cases.

    `cases` maps primary keys to the claimant's id on the page, or "". Returns the assigned cases, and the skipped
    cases, which another agent or the colleague has by now. Raises OwnApplication.
    """
    applications = lock_applications(cases)
    for agent in (by, to):
        refuse_own_applications(applications, agent=agent.pk)
    open_cases = Case.objects.filter(_PAID_FOR, pk__in=cases).exclude(open_since=None).select_related("claimed_by")
    columns = _claim_columns(to) | {"assigned_by_id": by.pk}
    assigned = []
    skipped = []
    for case in open_cases.order_by("pk").select_for_update(of=("self",)):
        is_as_shown = case.claimed_by_id == by.pk or cases[case.pk] == str(case.claimed_by_id)
        if case.is_claimed and (not is_as_shown or case.claimed_by_id == to.pk):
            skipped.append(case)
            continue
        columns["taken_from_id"] = None
        if case.is_claimed and case.claimed_by_id != by.pk:
            columns["taken_from_id"] = case.claimed_by_id
        for name, value in columns.items():
            setattr(case, name, value)
        assigned.append(case)
    Case.objects.bulk_update(assigned, [name.removesuffix("_id") for name in columns])
    for case in assigned:
        _record_claim(open_draft(applications[case.pk]), case, by=by, did="assign", to=to.pk)
    return assigned, skipped


def already_claimed(case: Case, name: str) -> str:
    return f"{case.claimed_by.called if case.claimed_by else 'A colleague'} has already claimed {name}."


@transaction.atomic
def release(cases: Collection[int], *, by: AbstractUser) -> int:
    """Release the agent's claims to these cases. Returns the number of claims."""
    own = Case.objects.filter(claimed_by(by.pk), pk__in=cases).select_related("application").order_by("pk")
    released = list(own.select_for_update(of=("self",)))
    Case.objects.filter(pk__in=[case.pk for case in released]).update(**UNCLAIMED, changed_at=timezone.now())
    for case in released:
        _append_to_audit_log(case.application, Case(pk=case.pk, **UNCLAIMED), by=by, did="release")
    return len(released)


def claim_free(case: Case, *, free: Q, by: AbstractUser) -> bool:
    return _claim_if(case, Case.objects.filter(free, pk=case.pk), _claim_columns(by), by=by, did="claim")


def claim_when_working(draft: Draft, *, by: Any) -> None:
    """Claim an unclaimed, paid case for the agent who has changed its review. The caller holds the application's
    lock."""
    application = draft.application
    if application.payment_due_since is not None:
        return
    free = Case.objects.filter(unclaimed(), pk=application.pk).exclude(open_since=None)
    columns = _claim_columns(by)
    if free.update(**columns):
        _record_claim(draft, Case(pk=application.pk, **columns), by=by, did="claim")


def refuse_claimed_case(draft: Draft, *, by: AbstractBaseUser) -> None:
    """Raise ClaimedByColleague if a colleague has the case. The caller holds its lock. One SQL query."""
    case = Case.objects.filter(pk=draft.application.pk).select_related("claimed_by").first()
    if case is not None and case.is_claimed and case.claimed_by is not None and case.claimed_by_id != by.pk:
        raise ClaimedByColleague(case.claimed_by.called)


def give_back(application: Application, *, to: AbstractUser, by: AbstractUser) -> None:
    """Give the case, even if claimed, to the agent whose proposal `by` refused. The caller holds its lock."""
    if own_applications(to.pk, [application.pk]):
        return
    columns = _claim_columns(to)
    if Case.objects.filter(pk=application.pk).exclude(open_since=None).update(**columns):
        _append_to_audit_log(application, Case(pk=application.pk, **columns), by=by, did="give_back")


@transaction.atomic
def _claim_if(case: Case, condition: QuerySet[Case], columns: dict[str, Any], *, by: AbstractUser, did: str) -> bool:
    """Claim the case and begin its review; return False if no longer in `condition`. Raises OwnApplication."""
    applications = lock_applications([case.pk])
    refuse_own_applications([case.pk], agent=by.pk)
    # Lock first: PostgreSQL checks the condition of an update with a join only once.
    list(Case.objects.filter(pk=case.pk).select_for_update())
    if not applications or not condition.filter(_PAID_FOR).update(**columns):
        return False
    _record_claim(open_draft(applications[case.pk]), Case(pk=case.pk, **columns), by=by, did=did)
    return True


def _record_claim(draft: Draft, case: Case, *, by: AbstractUser, did: str, **details: Any) -> None:
    """Begin the review of a claimed case, if not begun, and append the claim to the audit log."""
    if is_possible(_BEGIN_REVIEW, draft.application.status):
        services.advance(draft, _BEGIN_REVIEW, by=by)
    _append_to_audit_log(draft.application, case, by=by, did=did, **details)


def _append_to_audit_log(application: Application, case: Case, *, by: AbstractUser, did: str, **details: Any) -> None:
    if case.taken_from_id:
        details["taken_from"] = case.taken_from_id
    chain.append(AuditAction.CLAIM, by=by, application=application, rows=[case], did=did, **details)


def _claim_columns(agent: AbstractUser) -> dict[str, Any]:
    now = timezone.now()
    return UNCLAIMED | {"claimed_by_id": agent.pk, "claimed_at": now, "changed_at": now}


def _oldest_valid_claim() -> datetime:
    return timezone.now() - timedelta(hours=settings.CLAIM_HOURS)
