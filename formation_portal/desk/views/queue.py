"""The queue of submitted applications."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, agent

from ..queue_page import case_rows, cases, state_filter

_A_PAGE = 25


@require_safe
@agent
def queue(request: UserRequest) -> HttpResponse:
    """One page of the queue, the longest waiting first."""
    state = request.GET.get("state", "")
    page = Paginator(cases(state), _A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "rows": case_rows(page.object_list), "filters": [state_filter(state)]}
    return render(request, "desk/queue.html", context)
