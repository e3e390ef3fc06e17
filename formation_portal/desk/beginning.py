"""Claiming a case begins its review, in the transaction of the claim; releasing it ends nothing."""

from collections.abc import Collection

from django.contrib.auth.models import AbstractUser

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import is_possible

_BEGIN = "begin_review"
# What a draft reads of each application, here for all of them at once.
_PARTS = ("section_answers", "parties", "share_classes", "holdings", "documents")


def locked(applications: Collection[int]) -> list[Application]:
    """The applications, locked as every change of one locks it: before anything else that a claim writes to, and in
    one order, so that nobody waits for each other for ever. A query, and one for each part of them."""
    found = Application.objects.filter(pk__in=applications, deleted_at=None).select_related("owner")
    return list(found.prefetch_related(*_PARTS).order_by("pk").select_for_update(of=("self",)))


def begin_reviews(applications: Collection[Application], won: Collection[int], *, by: AbstractUser) -> None:
    """Begin the review of what was won and only waits for it. Each is a change of its own, with its line in the
    history, its row for the service and its entry in the audit."""
    for application in applications:
        if application.pk in won and is_possible(_BEGIN, application.status):
            services.advance(open_draft(application), _BEGIN, by=by)


def begin_review_of(draft: Draft, *, by: AbstractUser) -> None:
    """Begin the review of one that only waits for it."""
    if is_possible(_BEGIN, draft.application.status):
        services.advance(draft, _BEGIN, by=by)
