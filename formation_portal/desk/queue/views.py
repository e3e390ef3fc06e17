"""The queue, and claiming and assigning cases: those that are selected, one on its page, and the next one."""

from dataclasses import replace
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.models import Right, User
from formation_portal.accounts.policies import UserRequest, agent, agent_with
from formation_portal.accounts.sessions import background_request
from formation_portal.applications.access import own_applications
from formation_portal.applications.models import Application
from formation_portal.core.integers import parse_integer
from formation_portal.ui.forms.controls import Problem

from ..case_access import can_open, own_application_page, reviewers, takes_cases
from ..case_urls import case_url, queue_shown, queue_url
from ..lookups import get_application_or_404
from ..models import Case
from ..queue_state import QueueState, typed_search
from ..wording import numbered
from .claims import already_claimed, assign, claim_or_take_over
from .claims import claim as claim_several
from .claims import release as release_several
from .pages import QueueVersion, colleague_options, current_version, newest_url, news_url, queue_page
from .searches import claim_next_case, has_ended, keep_search, with_words

_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@agent
def queue(request: UserRequest) -> HttpResponse:
    """One page of the queue as its address says. A search is posted, and leads to an address without its words."""
    if request.method == "POST":
        search = keep_search(request, typed_search(request.POST))
        return redirect(queue_url(replace(QueueState.read(request.POST), search=search)))
    asked = QueueState.read(request.GET)
    chosen = with_words(request, asked)
    # An address of before searches were posted has words, which are read no more.
    is_over = has_ended(asked, chosen) or "q" in request.GET
    page = queue_page(chosen, request.user)
    return render(request, "desk/queue/queue.html", {"page": page, "is_search_over": is_over})


@require_safe
@background_request
@agent
def news(request: UserRequest) -> HttpResponse:
    """What has come since a page of the queue was drawn: 204 while the page says so already.

    The page asks by itself, so that this is no use of the session; whoever opens the address gets the queue.
    """
    asked, version = QueueState.read(request.GET), QueueVersion.read(request.GET.get("token", ""))
    if not request.htmx:
        return redirect(queue_url(asked))
    chosen = with_words(request, asked)
    is_over = has_ended(asked, chosen)
    now = current_version(chosen, version, reader=request.user) if version and not is_over else None
    if now is None or now == version:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    same_page = request.htmx.current_url_abs_path or queue_url(chosen)
    context = {
        "words": now.words,
        "news_url": news_url(chosen, now),
        "shown_at": newest_url(chosen) if now.new else same_page,
    }
    return render(request, "desk/queue/_news_answer.html", context)


# No page shows more.
_MOST = 100


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@takes_cases
def claims(request: UserRequest) -> HttpResponse:
    """Claim what is ticked. Each case goes to one agent, and the others are told whose it is."""
    if request.method == "POST":
        won, lost = claim_several(_ticked(request), by=request.user)
        if won:
            messages.success(request, f"You have claimed {numbered(len(won), 'case')}.")
        for case in lost:
            messages.warning(request, already_claimed(case, _name(case, request.user) or "an unnamed case"))
        if own := own_applications(request.user.pk, _ticked(request)):
            messages.warning(request, f"{numbered(len(own), 'case')} left out: your own application.")
        elif not won and not lost:
            messages.info(request, "Select at least one case.")
    return _to_queue(request)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@takes_cases
def releases(request: UserRequest) -> HttpResponse:
    """Give back what is ticked, as far as it is one's own."""
    if request.method == "POST":
        _release(request, _ticked(request))
    return _to_queue(request)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@takes_cases
def assignments(request: UserRequest) -> HttpResponse:
    """Give what is ticked to a colleague."""
    ticked = _ticked(request) if request.method == "POST" else []
    if request.method == "POST" and not ticked:
        messages.info(request, "Select at least one case.")
    return _assign(request, ticked, back=queue_url(queue_shown(request.POST))) if ticked else _to_queue(request)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@takes_cases
def assignment(request: UserRequest, reference: str) -> HttpResponse:
    """Give one case to a colleague."""
    application, back = get_application_or_404(reference), case_url(reference, queue_shown(request.POST))
    return _assign(request, [application.pk], back=back) if request.method == "POST" else redirect(back)


def _assign(request: UserRequest, cases: list[int], *, back: str) -> HttpResponse:
    """Assign the cases to the colleague who was chosen, as far as they are whose the page has said, and go back; else
    ask for a colleague who may review."""
    if own := own_applications(request.user.pk, cases):
        first = Application.objects.submitted().get(pk=min(own))
        return own_application_page(request, first.pk, first.reference)
    chosen = request.POST.get("agent", "")
    colleague = reviewers().exclude(pk=request.user.pk).filter(pk=parse_integer(chosen) or 0).first()
    held, error = request.POST.getlist("held"), ""
    if colleague is None:
        error = (
            "This person can’t be given cases. Select a colleague from the list." if chosen else "Select a colleague."
        )
    elif theirs := own_applications(colleague.pk, cases):
        error = f"{numbered(len(theirs), 'case is', 'cases are')} their own application. Select another colleague."
    if colleague is None or error:
        shown = Case.objects.filter(pk__in=cases).select_related("application").order_by("pk")
        context = {
            "cases": [(case, _name(case, request.user) or case.application.product_name) for case in shown],
            "colleagues": colleague_options(request.user),
            "held": held,
            "problems": [Problem("agent", error)],
            "back": back,
            "shown": request.POST.get("shown", ""),
        }
        return render(request, "desk/queue/assignment.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    named = {case: agent for case, _, agent in (one.partition(".") for one in held)}
    given, kept = assign({case: named.get(str(case), "") for case in cases}, to=colleague, by=request.user)
    if given:
        messages.success(request, f"You have assigned {numbered(len(given), 'case')} to {colleague.called}.")
    for case in kept:
        messages.warning(request, already_claimed(case, _name(case, request.user) or "an unnamed case"))
    if not given and not kept:
        messages.error(request, "Only open cases can be assigned.")
    return redirect(back)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@takes_cases
def next_case(request: UserRequest) -> HttpResponse:
    """Claim the one that has waited longest of those that nobody works on and that the filters let through."""
    if request.method != "POST":
        return _to_queue(request)
    shown = queue_shown(request.POST)
    case, words = claim_next_case(request, shown)
    if case is None:
        if words:
            messages.info(request, words)
        return _to_queue(request)
    return redirect(case_url(case.application.reference, shown))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@takes_cases
def claim(request: UserRequest, reference: str) -> HttpResponse:
    """Claim one case, or take it over with a word from the agent whom the page named."""
    application = get_application_or_404(reference)
    if request.method == "POST" and own_applications(request.user.pk, [application.pk]):
        return own_application_page(request, application.pk, reference)
    if request.method == "POST":
        word, taken_from = " ".join(request.POST.get("word", "").split()), request.POST.get("from", "")
        level, words = claim_or_take_over(application.pk, by=request.user, taken_from=taken_from, word=word)
        messages.add_message(request, level, words)
    return redirect(case_url(reference, queue_shown(request.POST)))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@takes_cases
def release(request: UserRequest, reference: str) -> HttpResponse:
    """Give one case back."""
    application = get_application_or_404(reference)
    if request.method == "POST":
        _release(request, [application.pk])
    return redirect(case_url(reference, queue_shown(request.POST)))


def _release(request: UserRequest, cases: list[int]) -> None:
    count = release_several(cases, by=request.user)
    messages.info(request, f"You have released {numbered(count, 'case')}." if count else "None of these were yours.")


def _name(case: Case, reader: User) -> str:
    """What a case is called: by its company, where the reader may see its name, else by its reference."""
    return case.title if can_open(case, reader) else case.application.reference


def _ticked(request: UserRequest) -> list[int]:
    numbers = map(parse_integer, request.POST.getlist("case")[:_MOST])
    return [number for number in numbers if number is not None]


def _to_queue(request: UserRequest) -> HttpResponse:
    """What it showed when the button was pressed: the form carries its address."""
    return redirect(queue_url(queue_shown(request.POST)))
