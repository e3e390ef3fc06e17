"""Finding what an address names: everything that was ever submitted, and nothing of a draft that wasn't."""

from django.http import Http404
from django.shortcuts import get_object_or_404

from formation_portal.applications.drafts import Draft, open_draft
from formation_portal.applications.models import Application, Document


def case_of(reference: str) -> Draft:
    """A submitted application."""
    submitted = Application.objects.submitted().select_related("owner", "submitted_by")
    return open_draft(get_object_or_404(submitted, reference=reference))


def document_of(reference: str, number: int) -> Document:
    """One document of a submitted application."""
    case = get_object_or_404(Application.objects.submitted(), reference=reference)
    document = case.documents.filter(pk=number).first()
    if document is None:
        raise Http404
    return document
