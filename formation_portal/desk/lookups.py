"""What an address names, or 404: every submitted application, and of a draft only what needs an agent; and who may
review it.
"""

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404

from formation_portal.accounts.models import Right, User
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document
from formation_portal.relay.models import Decision, Delivery
from formation_portal.relay.resolution import deliveries_in
from formation_portal.reviews.transactions import UNDER_REVIEW

_CLAIM = ("case__claimed_by", "case__taken_from", "case__assigned_by")


def get_case_or_404(reference: str) -> Draft:
    """A submitted application, read with its claim."""
    submitted = Application.objects.submitted().select_related("owner", "submitted_by", *_CLAIM, "review")
    return open_draft(get_object_or_404(submitted, reference=reference))


def get_live_case_or_404(reference: str) -> Application:
    """A submitted application's row with its claim: what a page that is open asks about."""
    submitted = Application.objects.submitted().select_related("case__claimed_by", "case__assigned_by", "review")
    return get_object_or_404(submitted, reference=reference)


def get_application_or_404(reference: str) -> Application:
    """The same as its row alone."""
    return get_object_or_404(Application.objects.submitted(), reference=reference)


def get_document_or_404(reference: str, number: int) -> Document:
    """One document of a submitted application."""
    document = get_application_or_404(reference).documents.in_use().filter(pk=number).first()
    if document is None:
        raise Http404
    return document


def get_delivery_or_404(number: int) -> Delivery:
    """A thing at the service that agents look after, was decided about, or belongs to a case."""
    is_theirs = Q(pk__in=deliveries_in().values("pk")) | Q(pk__in=Decision.objects.values("delivery"))
    is_in_a_case = Q(application__submitted_at__isnull=False, application__deleted_at=None)
    found = Delivery.objects.filter(is_theirs | is_in_a_case, pk=number)
    return get_object_or_404(found.select_related("application").prefetch_related("tries", "seen", "decisions__agent"))


def can_review(draft: Draft, reader: AbstractBaseUser) -> bool:
    """Report that this agent can check and ask now: the case is under review and paid for, and they have the right."""
    return (
        draft.application.status in UNDER_REVIEW
        and draft.application.payment_due_since is None
        and isinstance(reader, User)
        and reader.has_perm(Right.REVIEW.permission)
    )
