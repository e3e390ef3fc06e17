"""The deletion of a customer's account. Decided applications stay, with a number in place of the owner's name. The
account's row stays too, without personal data, since the history needs an author."""

from collections.abc import Iterable
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import Q

from formation_portal import workflow
from formation_portal.accounts.models import User
from formation_portal.accounts.sessions import end_sessions
from formation_portal.applications import services
from formation_portal.applications.access import Collaborator
from formation_portal.applications.models import Application
from formation_portal.applications.services.erasure import erase_application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.core.overwriting import overwrite_deleted
from formation_portal.invitations.models import Invitation
from formation_portal.mail.outbox import empty_emails_to, queue_email
from formation_portal.relay.erasure import settled

# The host of e-mail addresses that nobody can have (RFC 2606).
NOWHERE = "deleted.invalid"


class NotErasable(Exception):
    """Raised if an account cannot be deleted: it is an agent's, or has applications that are `under_way`."""

    def __init__(self, under_way: Iterable[Application] = ()) -> None:
        super().__init__("The account can't be deleted yet")
        self.under_way = tuple(under_way)


@dataclass(frozen=True, slots=True)
class AccountContent:
    """The applications that are deleted with an account, those that stay, and those that prevent its deletion."""

    goes: tuple[Application, ...]
    stays: tuple[Application, ...]
    under_way: tuple[Application, ...]

    @classmethod
    def of(cls, user: User) -> "AccountContent":
        goes = []
        stays = []
        under_way = []
        own = Application.objects.owned_by(user).order_by("pk")
        withdrawn = set(settled(own.filter(state=State.WITHDRAWN, hold_reason=None)).values_list("pk", flat=True))
        for application in own.prefetch_related("section_answers"):
            is_draft = application.status is State.DRAFT and application.submitted_at is None
            if is_draft or application.pk in withdrawn:
                goes.append(application)
            elif application.status in FINAL:
                stays.append(application)
            else:
                under_way.append(application)
        return cls(tuple(goes), tuple(stays), tuple(under_way))


def erase_account(user: User, *, by: User | None, only_unused: bool = False) -> None:
    """Delete a customer's account. `by` is the holder, or None for the portal. A deleted account is left alone.

    Raises NotErasable; with `only_unused` also if the account has an application, or the holder has signed in since
    `user` was read. A holder who deletes the account gets a last e-mail.
    """
    with transaction.atomic():
        # Without locking the key, so that rows that refer to the account can be committed meanwhile.
        locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if locked.email.endswith(f"@{NOWHERE}"):
            return
        content = AccountContent.of(locked)
        if locked.is_agent or locked.is_staff or content.under_way:
            raise NotErasable(content.under_way)
        if only_unused and (content.goes or content.stays or locked.last_login != user.last_login):
            raise NotErasable
        # Lock the applications before the audit log, in the order in which other changes lock them.
        applications = Application.objects.filter(pk__in=[application.pk for application in content.goes])
        list(applications.order_by("pk").select_for_update())
        _delete_traces(locked)
        for application in content.goes:
            if application.submitted_at is None:
                services.delete_draft(application, by=by)
            else:
                erase_application(application, by=by, reason="account")
        if by is not None:
            queue_email(kind="account_deleted", to=locked.email, language=locked.language or "en", context={})
        chain.append(AuditAction.ERASURE, by=by, application=None, subject=locked.pk, reason="account")
        _pseudonymise(locked)
    overwrite_deleted()


def _delete_traces(user: User) -> None:
    """Delete rows that name the account outside its own applications, and rows with which its holder signs in."""
    Collaborator.objects.filter(Q(user=user) | Q(email__iexact=user.email)).delete()
    # Invitations to other people's applications stay, without the e-mail address.
    Invitation.objects.filter(email__iexact=user.email).update(email=f"guest@{NOWHERE}")
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    end_sessions(user)
    empty_emails_to([user.email])


def _pseudonymise(user: User) -> None:
    user.email = f"account-{user.pk}@{NOWHERE}"
    user.first_name = "Deleted account"
    user.last_name = str(user.pk)
    user.language = ""
    user.is_active = False
    user.set_unusable_password()
    user.save()
    workflow.account_renamed(user)
    user.user_permissions.clear()
