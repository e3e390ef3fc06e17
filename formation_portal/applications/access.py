"""Who works on an application besides its owner, and what each of them may do.

Everybody reads every page. Who may edit does all that its owner does, but for submitting, withdrawing, deleting and
asking others in: those bind the owner, or open the application to somebody else.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import models
from django.db.models import Case, Q, QuerySet, Subquery, Value
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    from .models import Application


class Right(StrEnum):
    """What somebody may do, the least first: each right holds those before it."""

    VIEW = "view"
    EDIT = "edit"
    OWN = "own"

    @property
    def words(self) -> Promise:
        """What people read."""
        return _WORDS[self]

    def covers(self, other: "Right") -> bool:
        """Whether who has this right may do what the other allows."""
        return list(Right).index(self) >= list(Right).index(other)


_WORDS = {
    Right.VIEW: gettext_lazy("Can view"),
    Right.EDIT: gettext_lazy("Can edit"),
    Right.OWN: gettext_lazy("Owner"),
}

GRANTABLE = (Right.VIEW, Right.EDIT)


class AccessControlled:
    """A record with what whoever reads it may do: of customers `visible_to` tells; nothing is kept from others."""

    @property
    def is_open(self) -> bool:
        raise NotImplementedError

    # Set by whoever finds the record for somebody.
    given_right: str = Right.OWN

    @property
    def right(self) -> Right:
        """The right of whoever reads it."""
        return Right(self.given_right)

    @property
    def can_be_changed(self) -> bool:
        """Whether it is open, and whoever reads it may write."""
        return self.is_open and self.right.covers(Right.EDIT)

    @property
    def is_own(self) -> bool:
        """Whether whoever reads it may do all that its owner may."""
        return self.right is Right.OWN


class Collaborator(models.Model):
    """Somebody with an account who was asked to work on an application; `user` once they have said yes.

    The key that was sent opens the question only. It is kept as a digest, and gone once it has been used.
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


def accessible_to(user_pk: Any) -> Q:
    """The applications that an account owns or works on."""
    return Q(owner=user_pk) | Q(pk__in=Collaborator.objects.filter(user=user_pk).values("application"))


def right_expression(user_pk: Any) -> Case:
    """The right that the account has to an application which it may open."""
    theirs: QuerySet[Collaborator] = Collaborator.objects.filter(application=models.OuterRef("pk"), user=user_pk)
    own = models.When(owner=user_pk, then=Value(Right.OWN.value))
    return Case(own, default=Subquery(theirs.values("right")[:1]), output_field=models.CharField())


def granted_right(user: Any, application: Any) -> str:
    """The right that somebody was given to another's application; "" for none."""
    theirs = Collaborator.objects.filter(application=application, user=user.pk)
    return theirs.values_list("right", flat=True).first() or ""


class ApplicationQuerySet(models.QuerySet["Application"]):
    """Who may find which applications; views search nowhere else."""

    def visible_to(self, user: AbstractBaseUser) -> "ApplicationQuerySet":
        """What somebody owns or works on, but for deleted ones; each with the right that they have to it."""
        found = self.filter(accessible_to(user.pk), deleted_at=None)
        return found.annotate(given_right=right_expression(user.pk))  # type: ignore[no-redef]  # in place of the class's own

    def get_for(self, user: AbstractBaseUser, reference: str) -> "Application":
        """One of those by its reference. Raises Application.DoesNotExist. Every page of an application begins with
        this, so its owner costs one plain query."""
        found = self.get(reference=reference, deleted_at=None)
        found.given_right = Right.OWN if found.owner_id == user.pk else granted_right(user, found)
        if not found.given_right:
            raise self.model.DoesNotExist
        return found

    def owned_by(self, user: AbstractBaseUser) -> "ApplicationQuerySet":
        """The applications of one customer, but for deleted ones."""
        return self.filter(owner=user.pk, deleted_at=None)

    def submitted(self) -> "ApplicationQuerySet":
        """What agents see: everything that was ever submitted."""
        return self.exclude(submitted_at=None).filter(deleted_at=None)
