"""Who may find which applications."""

from typing import TYPE_CHECKING

from django.contrib.auth.models import AbstractBaseUser
from django.db import models

from .access import Right, may_open, right_given_to, right_of

if TYPE_CHECKING:
    from .models import Application


class ApplicationQuerySet(models.QuerySet["Application"]):
    """Who may find which applications; views search nowhere else."""

    def visible_to(self, user: AbstractBaseUser) -> "ApplicationQuerySet":
        """What somebody owns or works on, but for deleted ones; each with the right that they have to it."""
        found = self.filter(may_open(user.pk), deleted_at=None)
        return found.annotate(given_right=right_of(user.pk))  # type: ignore[no-redef]  # in place of the class's own

    def open_to(self, user: AbstractBaseUser, reference: str) -> "Application":
        """One of those by its reference. Raises Application.DoesNotExist. Every page of an application begins with
        this, so its owner costs one plain query."""
        found = self.get(reference=reference, deleted_at=None)
        found.given_right = Right.OWN if found.owner_id == user.pk else right_given_to(user, found)
        if not found.given_right:
            raise self.model.DoesNotExist
        return found

    def owned_by(self, user: AbstractBaseUser) -> "ApplicationQuerySet":
        """The applications of one customer, but for deleted ones."""
        return self.filter(owner=user.pk, deleted_at=None)

    def submitted(self) -> "ApplicationQuerySet":
        """What agents see: everything that was ever submitted."""
        return self.exclude(submitted_at=None).filter(deleted_at=None)
