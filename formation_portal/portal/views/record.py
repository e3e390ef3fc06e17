"""The application's record, for its owner to keep."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, customer

from .. import record_file
from ..finding import draft_of


@require_safe
@customer
def record(request: UserRequest, reference: str) -> HttpResponse:
    """Everything that was entered, as JSON."""
    return record_file.as_json(request, draft_of(request, reference))


@require_safe
@customer
def record_pdf(request: UserRequest, reference: str) -> HttpResponse:
    """The answers as a PDF, to read and to file."""
    return record_file.as_pdf(request, draft_of(request, reference))
