"""Finding what an address names: everything that was ever submitted, and of a draft only what needs an agent."""

from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404

from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document
from formation_portal.relay.models import Decision, Delivery
from formation_portal.relay.resolution.queue import deliveries_in


def case_of(reference: str) -> Draft:
    """A submitted application, read with its claim."""
    people = ("owner", "submitted_by", "case__claimed_by", "case__taken_from", "review")
    submitted = Application.objects.submitted().select_related(*people)
    return open_draft(get_object_or_404(submitted, reference=reference))


def open_case_of(reference: str) -> Application:
    """A submitted application's row with its claim: what a page that is open asks about."""
    submitted = Application.objects.submitted().select_related("case__claimed_by", "review")
    return get_object_or_404(submitted, reference=reference)


def application_of(reference: str) -> Application:
    """The same as its row alone."""
    return get_object_or_404(Application.objects.submitted(), reference=reference)


def document_of(reference: str, number: int) -> Document:
    """One document of a submitted application."""
    document = application_of(reference).documents.in_use().filter(pk=number).first()
    if document is None:
        raise Http404
    return document


def delivery_of(number: int) -> Delivery:
    """A thing at the service that agents look after, was decided about, or belongs to a case."""
    is_theirs = Q(pk__in=deliveries_in().values("pk")) | Q(pk__in=Decision.objects.values("delivery"))
    is_in_a_case = Q(application__submitted_at__isnull=False, application__deleted_at=None)
    found = Delivery.objects.filter(is_theirs | is_in_a_case, pk=number)
    return get_object_or_404(found.select_related("application").prefetch_related("tries", "seen", "decisions__agent"))
