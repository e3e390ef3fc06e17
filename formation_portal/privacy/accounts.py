"""Deletes a customer's account, with its drafts and withdrawn applications, address, names, sessions and letters.

Applications that were decided stay for as long as the law asks for records of them (`retention`), under a number in
place of the owner. So does the account's row, without anything of its holder: what it did still has an author.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import Q

from formation_portal.accounts.models import User
from formation_portal.accounts.sessions import end_sessions
from formation_portal.applications import services
from formation_portal.applications.access import Collaborator
from formation_portal.applications.models import Application
from formation_portal.applications.services.erasure import erase_application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.core import subscribers
from formation_portal.core.overwriting import overwrite_deleted
from formation_portal.invitations.models import Invitation
from formation_portal.mail import queue_letter
from formation_portal.mail.outbox import empty_letters_to
from formation_portal.relay.erasure import settled

# Addresses that nobody can have (RFC 2606).
NOWHERE = "deleted.invalid"


class NotErasable(Exception):
    """The account can't be deleted yet: agents' work keeps their names, and applications that are under way come first.

    `under_way` are those applications.
    """

    def __init__(self, under_way: Iterable[Application] = ()) -> None:
        super().__init__("The account can't be deleted yet")
        self.under_way = tuple(under_way)


@dataclass(frozen=True, slots=True)
class AccountContent:
    """What becomes of the applications of an account that is deleted: they go with it, they stay for as long as records
    must be kept, or they come first. Three queries: the applications, their answers, which name them, and what is
    settled at the service."""

    goes: tuple[Application, ...]
    stays: tuple[Application, ...]
    under_way: tuple[Application, ...]

    @classmethod
    def of(cls, user: User) -> "AccountContent":
        """The account's own applications, sorted."""
        goes, stays, under_way = [], [], []
        own = Application.objects.owned_by(user).order_by("pk")
        withdrawn = set(settled(own.filter(state=State.WITHDRAWN, hold_reason=None)).values_list("pk", flat=True))
        for one in own.prefetch_related("section_answers"):
            if one.status is State.DRAFT and one.submitted_at is None:
                goes.append(one)
            elif one.status not in FINAL:
                under_way.append(one)
            elif one.pk in withdrawn:
                goes.append(one)
            else:
                stays.append(one)
        return cls(tuple(goes), tuple(stays), tuple(under_way))


def erase_account(user: User, *, by: User | None, only_unused: bool = False) -> None:
    """Delete a customer's account. `by` is its holder, or None for the portal. Does nothing to a deleted account.

    Raises NotErasable; with `only_unused` also if it has an application, or its holder has signed in since `user` was
    read. Its holder gets a last letter, of which the outbox keeps nothing once it is sent.
    """
    with transaction.atomic():
        # Without the key, so that rows that name the account can be committed meanwhile.
        locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if locked.email.endswith(f"@{NOWHERE}"):
            return
        content = AccountContent.of(locked)
        if locked.is_agent or locked.is_staff or content.under_way:
            raise NotErasable(content.under_way)
        if only_unused and (content.goes or content.stays or locked.last_login != user.last_login):
            raise NotErasable
        # Rows that other changes lock are locked before the audit log, for which those changes wait last.
        applications = Application.objects.filter(pk__in=[application.pk for application in content.goes])
        list(applications.order_by("pk").select_for_update())
        _delete_traces(locked)
        for application in content.goes:
            _erase(application, by)
        if by is not None:
            queue_letter(kind="account_deleted", to=locked.email, language=locked.language or "en", context={})
        chain.append(AuditAction.ERASURE, by=by, application=None, subject=locked.pk, reason="account")
        _pseudonymise(locked)
    overwrite_deleted()


def _delete_traces(user: User) -> None:
    """Delete what names the account outside its own applications, and everything that signs its holder in."""
    Collaborator.objects.filter(Q(user=user) | Q(email__iexact=user.email)).delete()
    # The application that asked for it keeps that somebody was asked.
    Invitation.objects.filter(email__iexact=user.email).update(email=f"guest@{NOWHERE}")
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    end_sessions(user)
    empty_letters_to([user.email])


def _erase(application: Application, by: User | None) -> None:
    if application.submitted_at is None:
        services.delete_draft(application, by=by)
    else:
        erase_application(application, by=by, reason="account")


def _pseudonymise(user: User) -> None:
    user.email = f"account-{user.pk}@{NOWHERE}"
    user.first_name, user.last_name = "Deleted account", str(user.pk)
    user.language, user.is_active = "", False
    user.set_unusable_password()
    user.save()
    subscribers.account_renamed(user)
    user.user_permissions.clear()
