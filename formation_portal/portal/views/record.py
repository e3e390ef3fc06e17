"""The application's record, for its owner to keep."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, customer

from ..finding import draft_of
from ..record_file import record_file


@require_safe
@customer
def record(request: UserRequest, reference: str) -> HttpResponse:
    """Everything that was entered, as JSON."""
    return record_file(draft_of(request, reference))
