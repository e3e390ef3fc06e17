"""One party under review: its page, its numbers, what its documents say, and its screening checks."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with, recently_authenticated
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.audit.models import AccessKind
from formation_portal.privacy.persons import NotErased, erase_person, why_party_stays
from formation_portal.reviews.checklist import screening_checks
from formation_portal.reviews.document_evidence import prove, remove_evidence
from formation_portal.reviews.screening import remove_screening
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import ReviewRefused, ReviewVersion
from formation_portal.ui.downloads import as_download, log_view

from ..case.news import live_case
from ..case.query_panels import target_id
from ..case_access import opens_case, opens_documents
from ..case_urls import case_url, party_url, queue_shown, return_query, return_url
from ..changes_since import ReviewErrors
from ..documents import ViewerState
from ..lookups import get_case_or_404
from .forms import ScreeningForm
from .pages import PartyPage, log_numbers_shown, party_page

# What a page that asks by itself gets, by the id of what it has to draw anew.
_PARTS = {"paper": "desk/parties/_viewer_answer.html", "numbers": "desk/parties/_numbers_answer.html"}


class ScreeningErrors(ReviewErrors):
    """Show the party's page with what is wrong in the form of a screening check."""

    def __init__(self, request: UserRequest, reference: str, token: str, form: ScreeningForm) -> None:
        typed = (("What was found", form.data.get("text", "")),)
        super().__init__(request, reference, title="The screening check was not recorded", typed=typed)
        self.token = token
        self.form = form

    def answer(self, error: Exception) -> HttpResponse | None:
        if not isinstance(error, ReviewRefused):
            return super().answer(error)
        self.form.add_refusal(error)
        return self.show_form()

    def show_form(self) -> HttpResponse:
        """Draw the page that was posted from with the form as it was typed."""
        state = _state_posted(self.request, self.reference)
        return _draw(self.request, _page(self.request, self.reference, self.token, state, form=self.form), status=422)


@require_safe
@agent
@opens_case
def party(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Its facts as a checklist, its documents beside them. Where a part of it asks by itself, that part alone.

    An address that opens a document records that it was opened.
    """
    page = _page(request, reference, token, ViewerState.read(request.GET))
    viewer = page.viewer
    if viewer and viewer.state.opens and viewer.is_open:
        log_view(request, viewer.document, AccessKind.PAGE, by=request.user, page=viewer.state.page)
    return _draw(request, page)


@agent
@require_POST
@recently_authenticated
@opens_documents
def numbers(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """The same page with the numbers that people are known by, as often as it is asked for: each time is kept."""
    page = _page(request, reference, token, _state_posted(request, reference), shows_numbers=True)
    log_numbers_shown(page, by=request.user)
    return _draw(request, page)


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.REVIEW)
@opens_documents
def evidence(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Note that the page in the viewer proves a fact, and what it says; or, by a fact's own button, remove that."""
    draft = get_case_or_404(reference)
    target = Target.parse(request.POST.get("remove", "") or request.POST.get("place", ""))
    if draft.party(token) is None or (target is not None and target.holder != token):
        raise Http404
    if request.method != "POST" or target is None:
        return redirect("desk:party", reference=reference, token=token)
    says, looked = request.POST.get("says", ""), _state_posted(request, reference)
    document = next((one for one in draft.documents if one.pk == looked.document), None)
    version = ReviewVersion.parse(request.POST.get("sight", ""))
    typed = (("What the document says", says),)
    with ReviewErrors(request, reference, title="Your note was not saved", typed=typed) as errors:
        if "remove" in request.POST:
            is_done = remove_evidence(draft, target, by=request.user, version=version)
            messages.info(request, "Note removed." if is_done else "This note was already removed.")
        else:
            made = prove(draft, target, document, looked.page, text=says, by=request.user, version=version)
            messages.success(request, f"{made.slot}, page {made.page} noted for {made.label}.")
    if errors.response:
        return errors.response
    back = return_url(request.POST, reference).partition("#")[0]
    return redirect(f"{back}#{target_id(target)}")


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.REVIEW)
@opens_case
def screening(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Record a screening check of the party; what is wrong with it is shown on its page."""
    case, found = _case_and_party(reference, token)
    if request.method != "POST":
        return redirect("desk:party", reference=reference, token=token)
    form = ScreeningForm(request.POST, request.FILES)
    errors = ScreeningErrors(request, reference, token, form)
    if not form.is_valid():
        return errors.show_form()
    with errors:
        form.store(case, found, by=request.user)
    if errors.response:
        return errors.response
    messages.success(request, "Screening check recorded.")
    return redirect(return_url(request.POST, reference))


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.REVIEW)
@opens_case
def screening_removal(request: UserRequest, reference: str, token: str, number: int) -> HttpResponse:
    """Take a screening check back."""
    case, _ = _case_and_party(reference, token)
    if request.method != "POST":
        return redirect("desk:party", reference=reference, token=token)
    with ReviewErrors(request, reference, title="The screening check was not removed") as errors:
        is_done = remove_screening(case, number, by=request.user)
    if errors.response:
        return errors.response
    messages.info(request, "Screening check removed." if is_done else "This screening check was already removed.")
    return redirect(return_url(request.POST, reference))


@require_safe
@agent
@opens_documents
def screening_file(request: UserRequest, reference: str, token: str, number: int) -> HttpResponse:
    """The file of a screening check, to be saved and not shown, as documents are."""
    case, _ = _case_and_party(reference, token)
    found = get_object_or_404(screening_checks(case).exclude(file=""), holder=token, pk=number)
    return as_download(request, found, by=request.user)


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.ERASE)
@recently_authenticated
@opens_case
def erasure(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Erase the party at its own wish: say what goes, or why it must stay; then do it."""
    case, found = _case_and_party(reference, token)
    shown, why_not = queue_shown(request.GET), why_party_stays(case.application)
    if request.method != "POST" or why_not:
        back = party_url(reference, token, shown)
        context = {"draft": case, "party": found, "why_not": why_not, "party_url": back}
        return render(request, "desk/parties/erasure.html", context, status=409 if request.method == "POST" else 200)
    try:
        erase_person(case.application, token, by=request.user)
    except NotErased as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "Erased. The formation service is told, if it can still change its record.")
    return redirect(case_url(reference, shown))


def _state_posted(request: UserRequest, reference: str) -> ViewerState:
    """What the page that was posted from showed."""
    return ViewerState.read(return_query(request.POST, reference))


def _case_and_party(reference: str, token: str) -> tuple[Draft, PartyRow]:
    case = get_case_or_404(reference)
    found = case.party(token)
    if found is None:
        raise Http404
    return case, found


def _page(request: UserRequest, reference: str, token: str, state: ViewerState, **more: Any) -> PartyPage:
    return party_page(*_case_and_party(reference, token), state, reader=request.user, **more)


def _draw(request: UserRequest, page: PartyPage, *, status: int = 200) -> HttpResponse:
    if part := _PARTS.get(request.htmx.target or ""):
        return render(request, part, {"page": page})
    live = live_case(page.draft.application, request.user)
    context = {"page": page, "live": live, "page_url": page.here_url}
    return render(request, "desk/parties/party.html", context, status=status)
