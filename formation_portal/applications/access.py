"""The rights of accounts to applications. Only the owner may submit, withdraw, delete or share an application."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from allauth.account.models import EmailAddress
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Case, Q, Subquery, Value
from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    from .models import Application


class Right(models.TextChoices):
    """The rights of an account, in rising order: each includes those before it."""

    VIEW = "view", gettext_lazy("Can view")
    EDIT = "edit", gettext_lazy("Can edit")
    OWN = "own", gettext_lazy("Owner")

    @property
    def can_edit(self) -> bool:
        return self.covers(Right.EDIT)

    def covers(self, other: "Right") -> bool:
        return list(Right).index(self) >= list(Right).index(other)


GRANTABLE = (Right.VIEW, Right.EDIT)

# The number of latest applications whose people and files are offered for reuse.
MAX_APPLICATIONS_READ = 20


class Guest:
    """An author without an account: a guest who was invited to answer the questions about one party."""

    pk: None = None


Author = AbstractBaseUser | Guest


class Collaborator(models.Model):
    """A person invited to work on an application. Accepting the invitation sets `user` and deletes the key."""

    application = models.ForeignKey("applications.Application", models.CASCADE, related_name="collaborators")
    email = models.EmailField()
    right = models.CharField(max_length=8, choices=[(right.value, right.label) for right in GRANTABLE])
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    key_digest = models.CharField(max_length=64, unique=True, null=True, blank=True)  # null once accepted
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
    """Database queries for applications. Views use only these, so nobody finds applications that they may not see."""

    def visible_to(self, user: AbstractBaseUser) -> "ApplicationQuerySet":
        """Select the applications that a user owns or works on, without deleted ones, each with the user's right."""
        collaborators = Collaborator.objects.filter(user=user.pk)
        visible = self.filter(Q(owner=user.pk) | Q(pk__in=collaborators.values("application")), deleted_at=None)
        granted = Subquery(collaborators.filter(application=models.OuterRef("pk")).values("right")[:1])
        own = models.When(owner=user.pk, then=Value(Right.OWN.value))
        right = Case(own, default=granted, output_field=models.CharField())
        return visible.annotate(given_right=right)  # type: ignore[no-redef]

    def get_for(self, user: AbstractBaseUser, reference: str) -> "Application":
        """Return an application that the user may see. Raises Application.DoesNotExist. At most two SQL queries."""
        application = self.get(reference=reference, deleted_at=None)
        if application.owner_id == user.pk:
            application.given_right = Right.OWN
        else:
            collaborators = Collaborator.objects.filter(application=application, user=user.pk)
            application.given_right = collaborators.values_list("right", flat=True).first() or ""
        if not application.given_right:
            raise self.model.DoesNotExist
        return application

    def concerning(self, account: int) -> "ApplicationQuerySet":
        """Select the applications that an account may not review, as their owner, submitter, collaborator or guest."""
        confirmed = EmailAddress.objects.filter(user=account, verified=True)
        # Only guests who have opened the link: an invitation to an agent's address alone makes no agent a guest.
        opened = apps.get_model("invitations", "Invitation").objects.exclude(opened_at=None)
        guests = opened.filter(models.Exists(confirmed.filter(email__iexact=models.OuterRef("email"))))
        # Look up the rows by the application's key, instead of reading all guests and collaborators.
        works_on_it = models.Exists(Collaborator.objects.filter(user=account, application=models.OuterRef("pk")))
        took_part = models.Exists(guests.filter(application=models.OuterRef("pk")))
        return self.filter(Q(owner=account) | Q(submitted_by=account) | works_on_it | took_part)

    def owned_by(self, user: AbstractBaseUser) -> "ApplicationQuerySet":
        """Select the applications of a customer, without deleted ones."""
        return self.filter(owner=user.pk, deleted_at=None)

    def latest_of(self, owner: int) -> models.QuerySet[Any, Any]:
        """Select the keys of a customer's latest applications, whose people and files can be used again."""
        return self.filter(owner=owner, deleted_at=None).order_by("-pk").values("pk")[:MAX_APPLICATIONS_READ]

    def submitted(self) -> "ApplicationQuerySet":
        """Select the applications that agents see: all that were ever submitted."""
        return self.exclude(submitted_at=None).filter(deleted_at=None)


class OwnApplication(PermissionDenied):
    """An agent has tried to review, claim or resolve something of their own application."""


def own_applications(account: int, applications: Collection[int]) -> set[int]:
    """Return those of the keys whose applications the account may not review (`concerning`). One SQL query."""
    own = apps.get_model("applications", "Application").objects.filter(pk__in=applications).concerning(account)
    return set(own.values_list("pk", flat=True))


def refuse_own_applications(applications: Collection[int], *, agent: int) -> None:
    """Raise OwnApplication if one of the applications is the agent's own. Every transaction of a review calls this."""
    if own_applications(agent, applications):
        raise OwnApplication("This is your own application. Another agent has to review it.")
