"""Who may open an application and what each of them may do; and whose own it is, so that they don't review it.

Every collaborator can read every page. An editor may do all that the owner may, except submit, withdraw, delete and
share it: those bind the owner or open the application to somebody else.
"""

from collections.abc import Collection
from enum import StrEnum
from typing import TYPE_CHECKING

from allauth.account.models import EmailAddress
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Case, Q, Subquery, Value
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    from .models import Application


class Right(StrEnum):
    """What an account may do, in rising order: each right includes those before it."""

    VIEW = "view"
    EDIT = "edit"
    OWN = "own"

    @property
    def words(self) -> Promise:
        """The label on screen."""
        return _WORDS[self]

    @property
    def can_edit(self) -> bool:
        """Whether it lets one change answers and documents."""
        return self.covers(Right.EDIT)

    def covers(self, other: "Right") -> bool:
        """Whether this right includes the other."""
        return list(Right).index(self) >= list(Right).index(other)


_WORDS = {
    Right.VIEW: gettext_lazy("Can view"),
    Right.EDIT: gettext_lazy("Can edit"),
    Right.OWN: gettext_lazy("Owner"),
}

GRANTABLE = (Right.VIEW, Right.EDIT)


class Guest:
    """The author of changes by a guest, who has no account and fills in their own part by invitation."""

    pk: None = None


Author = AbstractBaseUser | Guest


class Collaborator(models.Model):
    """A person who was asked to work on an application; `user` is set once they have accepted.

    The key that was sent opens the invitation only. It is stored as a digest and deleted once it has been used.
    """

    application = models.ForeignKey("applications.Application", models.CASCADE, related_name="collaborators")
    email = models.EmailField()
    right = models.CharField(max_length=8, choices=[(right.value, right.words) for right in GRANTABLE])
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    key_digest = models.CharField(max_length=64, unique=True, null=True, blank=True)  # many have none
    asked_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("application", "email"), name="asked_once_an_address"),
            models.UniqueConstraint(fields=("application", "user"), name="one_right_an_account"),
        )

    def __str__(self) -> str:
        return f"{self.application_id}: {self.right}"


class ApplicationQuerySet(models.QuerySet["Application"]):
    """Queries for applications; views use no others, so that nobody finds what they may not see."""

    def visible_to(self, user: AbstractBaseUser) -> "ApplicationQuerySet":
        """The applications that a user owns or works on, without deleted ones, each with the user's right."""
        theirs = Collaborator.objects.filter(user=user.pk)
        found = self.filter(Q(owner=user.pk) | Q(pk__in=theirs.values("application")), deleted_at=None)
        granted = Subquery(theirs.filter(application=models.OuterRef("pk")).values("right")[:1])
        own = models.When(owner=user.pk, then=Value(Right.OWN.value))
        right = Case(own, default=granted, output_field=models.CharField())
        return found.annotate(given_right=right)  # type: ignore[no-redef]

    def get_for(self, user: AbstractBaseUser, reference: str) -> "Application":
        """One of those by its reference: one query for its owner, two for others. Raises Application.DoesNotExist."""
        found = self.get(reference=reference, deleted_at=None)
        if found.owner_id == user.pk:
            found.given_right = Right.OWN
        else:
            theirs = Collaborator.objects.filter(application=found, user=user.pk)
            found.given_right = theirs.values_list("right", flat=True).first() or ""
        if not found.given_right:
            raise self.model.DoesNotExist
        return found

    def concerning(self, account: int) -> "ApplicationQuerySet":
        """The account's own applications: it owns them, has submitted them, works on them, or has filled in a part as
        a guest by its confirmed e-mail address. Nobody reviews their own (`refuse_own_applications`)."""
        confirmed = EmailAddress.objects.filter(user=account, verified=True)
        # Who has opened the link that was sent there: naming an agent's address makes nobody a guest.
        opened = apps.get_model("invitations", "Invitation").objects.exclude(opened_at=None)
        guests = opened.filter(models.Exists(confirmed.filter(email__iexact=models.OuterRef("email"))))
        # Asked of each application by its key, never of all guests and collaborators.
        works_on_it, took_part = (
            models.Exists(rows.filter(application=models.OuterRef("pk")))
            for rows in (Collaborator.objects.filter(user=account), guests)
        )
        return self.filter(Q(owner=account) | Q(submitted_by=account) | works_on_it | took_part)

    def owned_by(self, user: AbstractBaseUser) -> "ApplicationQuerySet":
        """The applications of one customer, without deleted ones."""
        return self.filter(owner=user.pk, deleted_at=None)

    def submitted(self) -> "ApplicationQuerySet":
        """What agents see: everything that was ever submitted."""
        return self.exclude(submitted_at=None).filter(deleted_at=None)


class OwnApplication(PermissionDenied):
    """An agent has tried to review, claim or resolve something of their own application."""


def own_applications(account: int, applications: Collection[int]) -> set[int]:
    """Those of these applications, by their keys, that are the account's own. One query."""
    from .models import Application

    found = Application.objects.filter(pk__in=applications).concerning(account)
    return set(found.values_list("pk", flat=True))


def refuse_own_applications(applications: Collection[int], *, agent: int) -> None:
    """Raise OwnApplication where one is the agent's own: every change of a review, every claim and every decision about
    a delivery asks this in its transaction. One query."""
    if own_applications(agent, applications):
        raise OwnApplication("This is your own application. Another agent has to review it.")
