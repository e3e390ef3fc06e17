"""Claiming cases: those that are ticked in the queue, one on its page, and the next one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with
from formation_portal.core.integers import parse_integer

from .. import claims as deeds
from ..claim_words import words_after_claiming, words_after_releasing
from ..claiming import TakeOver, claim_case
from ..coming_from import came_from, case_url, queue_url
from ..finding import application_of
from ..next_case import next_case_for

_METHODS = ["GET", "HEAD", "POST"]
# No page shows more.
_MOST = 100


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def claims(request: UserRequest) -> HttpResponse:
    """Claim what is ticked. Each case goes to one agent, and the others are told whose it is."""
    if request.method == "POST":
        for level, words in words_after_claiming(deeds.claim(_ticked(request), by=request.user)):
            messages.add_message(request, level, words)
    return _to_queue(request)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def releases(request: UserRequest) -> HttpResponse:
    """Give back what is ticked, as far as it is one's own."""
    if request.method == "POST":
        messages.info(request, words_after_releasing(deeds.release(_ticked(request), by=request.user)))
    return _to_queue(request)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def next_case(request: UserRequest) -> HttpResponse:
    """Claim the one that has waited longest of those that nobody works on and that the filters let through."""
    if request.method != "POST":
        return _to_queue(request)
    shown = came_from(request.POST)
    found = next_case_for(request.user, shown)
    if found.case is None:
        messages.info(request, found.words)
        return _to_queue(request)
    return redirect(case_url(found.case.application.reference, shown))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def claim(request: UserRequest, reference: str) -> HttpResponse:
    """Claim one case, or take it over with a word from the agent whom the page named."""
    application = application_of(reference)
    if request.method == "POST":
        wish = TakeOver.read(request.POST)
        level, words = claim_case(application.pk, by=request.user, wish=wish)
        messages.add_message(request, level, words)
    return redirect(case_url(reference, came_from(request.POST)))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def release(request: UserRequest, reference: str) -> HttpResponse:
    """Give one case back."""
    application = application_of(reference)
    if request.method == "POST":
        messages.info(request, words_after_releasing(deeds.release([application.pk], by=request.user)))
    return redirect(case_url(reference, came_from(request.POST)))


def _ticked(request: UserRequest) -> list[int]:
    numbers = map(parse_integer, request.POST.getlist("case")[:_MOST])
    return [number for number in numbers if number is not None]


def _to_queue(request: UserRequest) -> HttpResponse:
    """What it showed when the button was pressed: the form carries its address."""
    return redirect(queue_url(came_from(request.POST)))
