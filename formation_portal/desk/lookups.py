"""Find the cases, documents and deliveries that a URL names, or raise 404."""

from django.db.models import Q
from django.shortcuts import get_object_or_404

from formation_portal.accounts.models import Right, User
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document
from formation_portal.relay.models import Decision, Delivery
from formation_portal.relay.resolution import deliveries_in
from formation_portal.reviews.transactions import UNDER_REVIEW


def get_case_or_404(reference: str) -> Draft:
    """Return the draft of a submitted application, read together with its claim."""
    claim = ("case__claimed_by", "case__taken_from", "case__assigned_by")
    submitted = Application.objects.submitted().select_related("owner", "submitted_by", *claim, "review")
    return open_draft(get_object_or_404(submitted, reference=reference))


def get_live_case_or_404(reference: str) -> Application:
    """Return the row of a submitted application, read together with its claim, for an open page that asks for news."""
    submitted = Application.objects.submitted().select_related("case__claimed_by", "case__assigned_by", "review")
    return get_object_or_404(submitted, reference=reference)


def get_application_or_404(reference: str) -> Application:
    return get_object_or_404(Application.objects.submitted(), reference=reference)


def get_document_or_404(reference: str, number: int) -> Document:
    return get_object_or_404(get_application_or_404(reference).documents.in_use(), pk=number)


def get_delivery_or_404(number: int) -> Delivery:
    """Return a delivery that agents handle or have decided about, or of a submitted application."""
    is_for_agents = Q(pk__in=deliveries_in().values("pk")) | Q(pk__in=Decision.objects.values("delivery"))
    is_of_case = Q(application__submitted_at__isnull=False, application__deleted_at=None)
    deliveries = Delivery.objects.filter(is_for_agents | is_of_case, pk=number).select_related("application")
    return get_object_or_404(deliveries.prefetch_related("calls", "lookups", "decisions__agent"))


def is_reviewable(draft: Draft) -> bool:
    return draft.application.status in UNDER_REVIEW and draft.application.payment_due_since is None


def can_review(draft: Draft, reader: User) -> bool:
    return is_reviewable(draft) and reader.has_perm(Right.REVIEW.permission)
