"""The queue of submitted applications."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, agent
from formation_portal.relay.attention import undecided_count

from ..queue_page import queue_page
from ..queue_state import QueueState


@require_safe
@agent
def queue(request: UserRequest) -> HttpResponse:
    """One page of the queue as its address says, and how many things wait for a decision at the service."""
    page = queue_page(QueueState.read(request.GET), request.user)
    return render(request, "desk/queue.html", {"page": page, "undecided": undecided_count()})
