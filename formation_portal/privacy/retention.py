"""How long what is kept: each rule says what is due, by a setting, and erases it.

Once a day, whichever process is first; `manage.py privacy retention --dry-run` lists what is due and erases nothing.
What is on hold (`Application.hold_reason`) is due never. A rule with a setting of 0 days has no end.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application, Document
from formation_portal.applications.services import Unread, delete_draft
from formation_portal.applications.services.erasure import erase_application, remove_copies
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.core.background import hourly_task
from formation_portal.core.overwriting import overwrite_deleted, vacuum
from formation_portal.relay.erasure import settled
from formation_portal.relay.models import REJECTED, Delivery, DeliveryState, ResourceKind

from .accounts import NOWHERE, NotErasable, erase_account
from .announcements import NOTICE, announce_deletion

logger = logging.getLogger(__name__)

# So many at once, so that one round keeps no letter waiting for long; the next day goes on.
AT_ONCE = 500
_DAY_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of thing: how its list is called, its setting, what is due at a moment, and what is done to one.

    `days` after what `since` says in words it is due. `erase` says whether it was done: nothing is, where somebody has
    changed it meanwhile, or something of it is still under way.
    """

    name: str
    words: str
    setting: str
    due: Callable[[datetime], "QuerySet[Any]"]
    erase: Callable[[Any], bool]

    @property
    def days(self) -> int:
        """0 where there is no end."""
        return int(getattr(settings, self.setting))

    def due_now(self) -> Iterator[Any]:
        """What is due, the oldest first."""
        if self.days:
            yield from self.due(timezone.now() - timedelta(days=self.days))[:AT_ONCE]


def _unheld() -> "QuerySet[Application]":
    return Application.objects.filter(deleted_at=None, hold_reason=None).order_by("updated_at", "pk")


def _unused_drafts(before: datetime) -> "QuerySet[Application]":
    return _unheld().filter(state=State.DRAFT, submitted_at=None, updated_at__lt=before)


def _announced(before: datetime) -> "QuerySet[Application]":
    """Drafts whose customers were told in time, and have left them as they were."""
    told = Q(deletion_announced_at__gte=F("updated_at"), deletion_announced_at__lte=timezone.now() - NOTICE)
    return _unused_drafts(before).filter(told)


def _unannounced(before: datetime) -> "QuerySet[Application]":
    untold = Q(deletion_announced_at=None) | Q(deletion_announced_at__lt=F("updated_at"))
    return _unused_drafts(before + NOTICE).filter(untold).select_related("owner")


def _delete_draft(application: Application) -> bool:
    try:
        delete_draft(application, by=None, revision=application.revision)
    except Unread:
        return False
    return True


def _closed(state: State) -> Callable[[datetime], "QuerySet[Application]"]:
    """Applications that came to this state before then, by their history, and are settled at the service."""

    def due(before: datetime) -> "QuerySet[Application]":
        found = settled(_unheld().filter(state=state)).annotate(
            closed=Max("changes__at", filter=Q(changes__moved_to=state))
        )
        return found.filter(closed__lt=before)

    return due


def _erase_closed(application: Application) -> bool:
    try:
        erase_application(application, by=None, reason="retention")
    except Unread:
        return False
    return True


def _with_copies(before: datetime) -> "QuerySet[Application]":
    """Closed applications with files of ours that nobody needs any more."""
    closed = Max("changes__at", filter=Q(changes__moved_to__in=FINAL))
    found = _unheld().filter(state__in=FINAL).filter(Exists(_copies().filter(application=OuterRef("pk"))))
    return found.annotate(closed=closed).filter(closed__lt=before)


def _copies() -> "QuerySet[Document]":
    """Files that the formation service has confirmed, and those that were replaced and it never gets."""
    confirmed = Delivery.objects.filter(
        application=OuterRef("application"),
        kind=ResourceKind.DOCUMENT,
        subject=OuterRef("subject"),
        state=DeliveryState.DONE,
    ).exclude(Q(remote_id="") | Q(document_status=REJECTED))
    return Document.objects.filter(copy_removed_at=None).filter(Exists(confirmed) | Q(replaced_at__isnull=False))


def _remove_copies(application: Application) -> bool:
    return remove_copies(application, _copies().filter(application=application)) > 0


def _unused_accounts(before: datetime) -> "QuerySet[User]":
    """Customers who have nothing here, and have not been here since."""
    has_application = Exists(Application.objects.filter(owner=OuterRef("pk"), deleted_at=None))
    unused = Q(last_login__lt=before) | Q(last_login=None, date_joined__lt=before)
    customers = User.objects.filter(is_agent=False, is_staff=False).exclude(email__endswith=f"@{NOWHERE}")
    return customers.filter(unused).exclude(has_application).order_by("pk")


def _erase_account(user: User) -> bool:
    try:
        erase_account(user, by=None, only_unused=True)
    except NotErasable:
        return False
    return True


RULES = (
    Rule(
        "announcements",
        "customers are told that their draft will be deleted",
        "RETENTION_DRAFT_DAYS",
        _unannounced,
        announce_deletion,
    ),
    Rule("drafts", "drafts that nobody has changed", "RETENTION_DRAFT_DAYS", _announced, _delete_draft),
    Rule("copies", "our copies of files that the service has", "RETENTION_COPY_DAYS", _with_copies, _remove_copies),
    Rule("withdrawn", "withdrawn applications", "RETENTION_WITHDRAWN_DAYS", _closed(State.WITHDRAWN), _erase_closed),
    Rule("declined", "declined applications", "RETENTION_DECLINED_DAYS", _closed(State.REJECTED), _erase_closed),
    Rule(
        "incorporated",
        "applications of companies that were formed",
        "RETENTION_INCORPORATED_DAYS",
        _closed(State.INCORPORATED),
        _erase_closed,
    ),
    Rule("accounts", "accounts without an application", "RETENTION_ACCOUNT_DAYS", _unused_accounts, _erase_account),
)


def erase_what_is_due() -> dict[str, int]:
    """Erase it, and count it by the rules' names. An error in one thing stops no other."""
    counts = {}
    for rule in RULES:
        counts[rule.name] = sum(_erased(rule, one) for one in rule.due_now())
        if counts[rule.name]:
            logger.info("Retention, %s: %d", rule.name, counts[rule.name])
    if any(counts.values()):
        overwrite_deleted()
    return counts


def _erased(rule: Rule, one: Any) -> bool:
    try:
        return rule.erase(one)
    except Exception as error:
        # By its number, and not by the error's words, which may hold what it says.
        logger.error("Retention, %s: %s met %s", rule.name, one.pk, type(error).__name__)
        return False


@hourly_task
def erase_daily() -> None:
    """For all processes together once a day."""
    if cache.add("retention", 1, _DAY_SECONDS):
        erase_what_is_due()
        vacuum()


def hold(application: Application, reason: str) -> None:
    """Put it on hold, with the reason."""
    _set_hold(application, reason)


def release(application: Application) -> None:
    """Let the retention rules count again."""
    _set_hold(application, None)


def _set_hold(application: Application, reason: str | None) -> None:
    with transaction.atomic():
        locked = Application.objects.select_for_update().get(pk=application.pk)
        locked.hold_reason = reason
        locked.save(update_fields=["hold_reason"])
        chain.append(AuditAction.ERASURE, by=None, application=locked, reason="release" if reason is None else "hold")
