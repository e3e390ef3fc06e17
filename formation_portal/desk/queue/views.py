"""Show the queue; claim, assign and release the selected cases, a single case, or the next case."""

from dataclasses import replace
from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.models import Right, User
from formation_portal.accounts.policies import UserRequest, agent
from formation_portal.accounts.sessions import background_request
from formation_portal.applications.access import own_applications
from formation_portal.applications.models import Application
from formation_portal.core.integers import parse_integer, parse_integers
from formation_portal.ui.forms.controls import Problem

from ..case_access import Opens, can_open, case_action, own_application_page, reviewers
from ..case_urls import case_url, queue_shown, queue_url
from ..lookups import get_application_or_404
from ..models import Case
from ..queue_state import QueueState
from ..url_queries import read_text
from ..wording import numbered
from .claims import already_claimed, assign, claim_or_take_over
from .claims import claim as claim_cases
from .claims import release as release_cases
from .pages import QueueVersion, colleague_options, current_version, news_url, queue_page
from .searches import claim_next_case, keep_search, with_text


@require_http_methods(["GET", "HEAD", "POST"])
@agent
def queue(request: UserRequest) -> HttpResponse:
    """Show a page of the queue. A posted search redirects to a URL without its words."""
    if request.method == "POST":
        search = keep_search(request, read_text(request.POST, "q"))
        return redirect(queue_url(replace(QueueState.read(request.POST), search=search)))
    state = QueueState.read(request.GET)
    searched = with_text(request, state)
    # Old URLs have the words of a search, which are ignored.
    is_over = searched is None or "q" in request.GET
    page = queue_page(searched or replace(state, search=""), request.user)
    context = {"page": page, "is_search_over": is_over, "has_workbench": settings.WORKBENCH}
    return render(request, "desk/queue/queue.html", context)


@require_safe
@background_request
@agent
def news(request: UserRequest) -> HttpResponse:
    """Tell how many cases arrived or changed since a page of the queue was drawn; 204 if the page already says so.
    The page polls this view, which keeps no session alive."""
    state = QueueState.read(request.GET)
    if not request.htmx:
        return redirect(queue_url(state))
    version = QueueVersion.read(request.GET.get("token", ""))
    searched = with_text(request, state)
    if version is None or searched is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    current = current_version(searched, version, reader=request.user)
    if current == version:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    shown_at = request.htmx.current_url_abs_path or queue_url(searched)
    if current.new:
        shown_at = queue_url(replace(searched.first_page, newest_first=True))
    context = {"words": current.summary, "news_url": news_url(searched, current), "shown_at": shown_at}
    return render(request, "desk/queue/_news_answer.html", context)


# No page has more cases.
_MAX_TICKED = 100


@case_action(Right.REVIEW, leads_to="desk:queue", kind=Opens.QUEUE)
def claims(request: UserRequest) -> HttpResponse:
    """Claim the ticked cases, and name those of colleagues."""
    ticked = _ticked(request)
    won, lost = claim_cases(ticked, by=request.user)
    if won:
        messages.success(request, f"You have claimed {numbered(len(won), 'case')}.")
    for case in lost:
        messages.warning(request, already_claimed(case, _name(case, request.user)))
    if own := own_applications(request.user.pk, ticked):
        messages.warning(request, f"{numbered(len(own), 'case')} left out: your own application.")
    elif not won and not lost:
        messages.info(request, "Select at least one case.")
    return _to_queue(request)


@case_action(Right.REVIEW, leads_to="desk:queue", kind=Opens.QUEUE)
def releases(request: UserRequest) -> HttpResponse:
    _release(request, _ticked(request))
    return _to_queue(request)


@case_action(Right.REVIEW, leads_to="desk:queue", kind=Opens.QUEUE)
def assignments(request: UserRequest) -> HttpResponse:
    ticked = _ticked(request)
    if ticked:
        return _assign(request, ticked, back=queue_url(queue_shown(request.POST)))
    messages.info(request, "Select at least one case.")
    return _to_queue(request)


@case_action(Right.REVIEW, kind=Opens.QUEUE)
def assignment(request: UserRequest, reference: str) -> HttpResponse:
    application = get_application_or_404(reference)
    back = case_url(reference, queue_shown(request.POST))
    return _assign(request, [application.pk], back=back)


def _assign(request: UserRequest, cases: list[int], *, back: str) -> HttpResponse:
    """Assign the cases to the chosen colleague and go back, or ask for an eligible colleague."""
    if own := own_applications(request.user.pk, cases):
        first = Application.objects.submitted().get(pk=min(own))
        return own_application_page(request, first.pk, first.reference)
    number = request.POST.get("agent", "")
    colleague = reviewers().exclude(pk=request.user.pk).filter(pk=parse_integer(number) or 0).first()
    if colleague is None:
        error = "Select a colleague."
        if number:
            error = "This person can’t be given cases. Select a colleague from the list."
        return _ask_for_colleague(request, cases, error, back=back)
    if own := own_applications(colleague.pk, cases):
        error = f"{numbered(len(own), 'case is', 'cases are')} their own application. Select another colleague."
        return _ask_for_colleague(request, cases, error, back=back)
    claimants = dict.fromkeys(map(str, cases), "")
    for pair in request.POST.getlist("held"):
        case_id, _, claimant = pair.partition(".")
        claimants[case_id] = claimant
    assigned, skipped = assign({case: claimants[str(case)] for case in cases}, to=colleague, by=request.user)
    if assigned:
        messages.success(request, f"You have assigned {numbered(len(assigned), 'case')} to {colleague.called}.")
    for case in skipped:
        messages.warning(request, already_claimed(case, _name(case, request.user)))
    if not assigned and not skipped:
        messages.error(request, "Only open cases can be assigned.")
    return redirect(back)


def _ask_for_colleague(request: UserRequest, cases: list[int], error: str, *, back: str) -> HttpResponse:
    rows = Case.objects.filter(pk__in=cases).select_related("application").order_by("pk")
    context = {
        "cases": [(case, _name(case, request.user)) for case in rows],
        "colleagues": colleague_options(request.user),
        "held": request.POST.getlist("held"),
        "problems": [Problem("agent", error)],
        "back": back,
        "shown": request.POST.get("shown", ""),
    }
    return render(request, "desk/queue/assignment.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@case_action(Right.REVIEW, leads_to="desk:queue", kind=Opens.QUEUE)
def next_case(request: UserRequest) -> HttpResponse:
    """Claim the longest waiting unclaimed case that the filters match."""
    queue_state = queue_shown(request.POST)
    case, reason = claim_next_case(request, queue_state)
    if case is None:
        if reason:
            messages.info(request, reason)
        return _to_queue(request)
    return redirect(case_url(case.application.reference, queue_state))


@case_action(Right.REVIEW, kind=Opens.QUEUE)
def claim(request: UserRequest, reference: str) -> HttpResponse:
    """Claim a case, or take it over, giving a reason, from the agent whom the page named as its claimant."""
    application = get_application_or_404(reference)
    if own_applications(request.user.pk, [application.pk]):
        return own_application_page(request, application.pk, reference)
    reason = " ".join(request.POST.get("takeover_reason", "").split())
    taken_from = request.POST.get("from", "")
    level, message = claim_or_take_over(application.pk, by=request.user, taken_from=taken_from, reason=reason)
    messages.add_message(request, level, message)
    return redirect(case_url(reference, queue_shown(request.POST)))


@case_action(Right.REVIEW, kind=Opens.QUEUE)
def release(request: UserRequest, reference: str) -> HttpResponse:
    _release(request, [get_application_or_404(reference).pk])
    return redirect(case_url(reference, queue_shown(request.POST)))


def _release(request: UserRequest, cases: list[int]) -> None:
    count = release_cases(cases, by=request.user)
    messages.info(request, f"You have released {numbered(count, 'case')}." if count else "None of these were yours.")


def _name(case: Case, reader: User) -> str:
    """Return the company's name if the reader may see one, else the reference."""
    return (case.title if can_open(case, reader) else "") or case.application.reference


def _ticked(request: UserRequest) -> list[int]:
    return parse_integers(request.POST.getlist("case")[:_MAX_TICKED])


def _to_queue(request: UserRequest) -> HttpResponse:
    return redirect(queue_url(queue_shown(request.POST)))
