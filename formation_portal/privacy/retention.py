"""The retention rules: data is erased some days after it was last needed. 0 days: never. Data on hold is kept."""

import logging
from collections.abc import Iterator
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

# The most that a round erases by each rule, so that e-mails do not wait for long; the next day's round goes on.
AT_ONCE = 500
_DAY_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    description: str
    setting: str

    @property
    def days(self) -> int:
        return int(getattr(settings, self.setting))

    def due_now(self) -> Iterator[Any]:
        if self.days:
            yield from self.due(timezone.now() - timedelta(days=self.days))[:AT_ONCE]

    def due(self, before: datetime) -> "QuerySet[Any]":
        """Return the objects that were last needed before a moment, the oldest first."""
        raise NotImplementedError

    def erase(self, item: Any) -> None:
        """Erase an object. Raises Unread or NotErasable if it was changed meanwhile, or is still under way."""
        raise NotImplementedError


class AnnouncementRule(Rule):
    def due(self, before: datetime) -> "QuerySet[Application]":
        is_announced = Q(deletion_announced_at__gte=F("updated_at"))
        return _unused_drafts(before + NOTICE).exclude(is_announced).select_related("owner")

    def erase(self, item: Application) -> None:
        announce_deletion(item)


class DraftRule(Rule):
    """The rule that deletes unused drafts whose deletion was announced in time."""

    def due(self, before: datetime) -> "QuerySet[Application]":
        announced = Q(deletion_announced_at__gte=F("updated_at"), deletion_announced_at__lte=timezone.now() - NOTICE)
        return _unused_drafts(before).filter(announced)

    def erase(self, item: Application) -> None:
        delete_draft(item, by=None, revision=item.revision)


class CopyRule(Rule):
    """The rule that removes our copies of closed applications' files, once the formation service has the files."""

    def due(self, before: datetime) -> "QuerySet[Application]":
        closed = Max("changes__at", filter=Q(changes__moved_to__in=FINAL))
        with_copies = _unheld().filter(Exists(self._copies().filter(application=OuterRef("pk"))), state__in=FINAL)
        return with_copies.annotate(closed=closed).filter(closed__lt=before)

    def erase(self, item: Application) -> None:
        remove_copies(item, self._copies().filter(application=item))

    def _copies(self) -> "QuerySet[Document]":
        """Return the files that the service has confirmed, and the replaced files, which it never gets."""
        confirmed = Delivery.objects.filter(
            application=OuterRef("application"),
            kind=ResourceKind.DOCUMENT,
            subject=OuterRef("subject"),
            state=DeliveryState.DONE,
        ).exclude(Q(remote_id="") | Q(document_status=REJECTED))
        return Document.objects.filter(copy_removed_at=None).filter(Exists(confirmed) | Q(replaced_at__isnull=False))


@dataclass(frozen=True, slots=True)
class ClosedRule(Rule):
    """The rule that erases applications in one final state, unless a delivery to the service is still unsettled."""

    state: State

    def due(self, before: datetime) -> "QuerySet[Application]":
        closed = Max("changes__at", filter=Q(changes__moved_to=self.state))
        return settled(_unheld().filter(state=self.state)).annotate(closed=closed).filter(closed__lt=before)

    def erase(self, item: Application) -> None:
        erase_application(item, by=None, reason="retention")


class AccountRule(Rule):
    """The rule that deletes the unused accounts of customers without an application."""

    def due(self, before: datetime) -> "QuerySet[User]":
        has_application = Exists(Application.objects.filter(owner=OuterRef("pk"), deleted_at=None))
        unused = Q(last_login__lt=before) | Q(last_login=None, date_joined__lt=before)
        customers = User.objects.filter(is_agent=False, is_staff=False).exclude(email__endswith=f"@{NOWHERE}")
        return customers.filter(unused).exclude(has_application).order_by("pk")

    def erase(self, item: User) -> None:
        erase_account(item, by=None, only_unused=True)


def _unheld() -> "QuerySet[Application]":
    return Application.objects.filter(deleted_at=None, hold_reason=None).order_by("updated_at", "pk")


def _unused_drafts(before: datetime) -> "QuerySet[Application]":
    return _unheld().filter(state=State.DRAFT, submitted_at=None, updated_at__lt=before)


RULES = (
    AnnouncementRule("announcements", "customers are told that their draft will be deleted", "RETENTION_DRAFT_DAYS"),
    DraftRule("drafts", "drafts that nobody has changed", "RETENTION_DRAFT_DAYS"),
    CopyRule("copies", "our copies of files that the service has", "RETENTION_COPY_DAYS"),
    ClosedRule("withdrawn", "withdrawn applications", "RETENTION_WITHDRAWN_DAYS", State.WITHDRAWN),
    ClosedRule("declined", "declined applications", "RETENTION_DECLINED_DAYS", State.REJECTED),
    ClosedRule(
        "incorporated",
        "applications of companies that were formed",
        "RETENTION_INCORPORATED_DAYS",
        State.INCORPORATED,
    ),
    AccountRule("accounts", "accounts without an application", "RETENTION_ACCOUNT_DAYS"),
)


def erase_what_is_due() -> dict[str, int]:
    """Erase all due data, and return the number of erased objects by rule. An error stops only its object."""
    counts = {}
    for rule in RULES:
        count = 0
        for item in rule.due_now():
            try:
                rule.erase(item)
                count += 1
            except (Unread, NotErasable):
                # The next round tries again.
                continue
            except Exception as error:
                # The error's own text is left out, since it may hold personal data.
                logger.error("Retention, %s: %s met %s", rule.name, item.pk, type(error).__name__)
        if count:
            logger.info("Retention, %s: %d", rule.name, count)
        counts[rule.name] = count
    if any(counts.values()):
        overwrite_deleted()
    return counts


@hourly_task
def erase_daily() -> None:
    if cache.add("retention", 1, _DAY_SECONDS):
        erase_what_is_due()
        vacuum()


def set_hold(application: Application, reason: str | None) -> None:
    """Put an application on hold for a reason, or release it (None)."""
    with transaction.atomic():
        locked = Application.objects.select_for_update().get(pk=application.pk)
        locked.hold_reason = reason
        locked.save(update_fields=["hold_reason"])
        chain.append(AuditAction.ERASURE, by=None, application=locked, reason="release" if reason is None else "hold")
