"""The queue of submitted applications."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, agent
from formation_portal.relay.attention import undecided_count

from ..queue_page import case_rows, cases, filters

_A_PAGE = 25
# What is typed to search for; more than this is no reference and no name.
_LONGEST = 200


@require_safe
@agent
def queue(request: UserRequest) -> HttpResponse:
    """One page of the queue, the longest waiting first; and how many things wait for a decision at the service."""
    chosen = {"state": request.GET.get("state", ""), "text": request.GET.get("q", "").strip()[:_LONGEST]}
    page = Paginator(cases(**chosen), _A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": case_rows(page.object_list),
        "filters": filters(**chosen),
        "undecided": undecided_count(),
    }
    return render(request, "desk/queue.html", context)
