"""The queue of submitted applications."""

from http import HTTPStatus

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, agent
from formation_portal.accounts.sessions import background_request
from formation_portal.relay.resolution.queue import unresolved_count

from ..coming_from import queue_url
from ..news import Token
from ..news import news as news_since
from ..queue_page import newest_url, news_url, queue_page
from ..queue_state import QueueState


@require_safe
@agent
def queue(request: UserRequest) -> HttpResponse:
    """One page of the queue as its address says, and how many things wait for a decision at the service."""
    page = queue_page(QueueState.read(request.GET), request.user)
    return render(request, "desk/queue.html", {"page": page, "undecided": unresolved_count()})


@require_safe
@background_request
@agent
def news(request: UserRequest) -> HttpResponse:
    """What has come since a page of the queue was drawn: 204 while the page says so already.

    The page asks by itself, so that this is no use of the session; whoever opens the address gets the queue.
    """
    chosen, token = QueueState.read(request.GET), Token.read(request.GET.get("token", ""))
    if not request.htmx:
        return redirect(queue_url(chosen))
    found = news_since(chosen, token, agent_id=request.user.pk) if token else None
    if found is None or not found.is_new:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = {"words": found.words, "news_url": news_url(chosen, found.following), "newest": newest_url(chosen)}
    return render(request, "desk/_news_answer.html", context)
