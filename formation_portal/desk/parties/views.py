"""Show a party under review and its identity numbers, note evidence, record screening checks, and erase the party."""

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
from formation_portal.reviews.transactions import ReviewRefused
from formation_portal.ui.downloads import as_download, log_view

from ..case.news import live_case
from ..case.query_panels import target_id
from ..case_access import Opens, case_action, opens
from ..case_urls import case_url, party_url, queue_shown, return_query, return_url
from ..changes_since import ReviewErrors, seen_version
from ..documents import ViewerState
from ..lookups import get_case_or_404
from .forms import ScreeningForm
from .pages import PartyPage, log_numbers_shown

# Parts that an open page fetches, by the id of the element to replace.
_PARTS = {"viewer": "desk/parties/_viewer_answer.html", "numbers": "desk/parties/_numbers_answer.html"}


class ScreeningErrors(ReviewErrors):
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
        state = _state_posted(self.request, self.reference)
        return _draw(self.request, _page(self.request, self.reference, self.token, state, form=self.form), status=422)


@require_safe
@agent
@opens(Opens.CASE)
def party(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Show the party's facts beside its documents; to htmx only the requested part."""
    page = _page(request, reference, token, ViewerState.read(request.GET))
    viewer = page.viewer
    if viewer and viewer.state.opens and viewer.is_open:
        log_view(request, viewer.document, AccessKind.PAGE, by=request.user, page=viewer.state.page)
    return _draw(request, page)


@agent
@require_POST
@recently_authenticated
@opens(Opens.DOCUMENTS)
def numbers(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Show the page with the party's identity numbers. Each time is logged."""
    page = _page(request, reference, token, _state_posted(request, reference), shows_numbers=True)
    log_numbers_shown(page, by=request.user)
    return _draw(request, page)


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.REVIEW)
@opens(Opens.DOCUMENTS)
def evidence(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Note that the page in the viewer proves a fact, and what the page says; or remove such a note from a fact."""
    draft = get_case_or_404(reference)
    target = Target.parse(request.POST.get("remove", "") or request.POST.get("place", ""))
    if draft.party(token) is None or (target is not None and target.holder != token):
        raise Http404
    if request.method != "POST" or target is None:
        return redirect("desk:party", reference=reference, token=token)
    text = request.POST.get("says", "")
    state = _state_posted(request, reference)
    document = next((document for document in draft.documents if document.pk == state.document), None)
    version = seen_version(request)
    typed = (("What the document says", text),)
    with ReviewErrors(request, reference, title="Your note was not saved", typed=typed) as errors:
        if "remove" in request.POST:
            is_done = remove_evidence(draft, target, by=request.user, version=version)
            messages.info(request, "Note removed." if is_done else "This note was already removed.")
        else:
            noted = prove(draft, target, document, state.page, text=text, by=request.user, version=version)
            messages.success(request, f"{noted.slot}, page {noted.page} noted for {noted.label}.")
    if errors.response:
        return errors.response
    back = return_url(request.POST, reference).partition("#")[0]
    return redirect(f"{back}#{target_id(target)}")


@case_action(Right.REVIEW, leads_to="desk:party")
def screening(request: UserRequest, reference: str, token: str) -> HttpResponse:
    draft, party = _case_and_party(reference, token)
    form = ScreeningForm(request.POST, request.FILES)
    errors = ScreeningErrors(request, reference, token, form)
    if not form.is_valid():
        return errors.show_form()
    with errors:
        form.store(draft, party, by=request.user)
    if errors.response:
        return errors.response
    messages.success(request, "Screening check recorded.")
    return redirect(return_url(request.POST, reference))


@case_action(Right.REVIEW, leads_to="desk:party")
def screening_removal(request: UserRequest, reference: str, token: str, number: int) -> HttpResponse:
    draft, _ = _case_and_party(reference, token)
    with ReviewErrors(request, reference, title="The screening check was not removed") as errors:
        is_done = remove_screening(draft, number, by=request.user)
    if errors.response:
        return errors.response
    messages.info(request, "Screening check removed." if is_done else "This screening check was already removed.")
    return redirect(return_url(request.POST, reference))


@require_safe
@agent
@opens(Opens.DOCUMENTS)
def screening_file(request: UserRequest, reference: str, token: str, number: int) -> HttpResponse:
    """Download the file of a screening check: like a document, to be saved, not shown by the browser."""
    draft, _ = _case_and_party(reference, token)
    check = get_object_or_404(screening_checks(draft).exclude(file=""), holder=token, pk=number)
    return as_download(request, check, by=request.user)


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.ERASE)
@recently_authenticated
@opens(Opens.CASE)
def erasure(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Ask whether to erase the party, or say why it must stay; a POST erases the party."""
    draft, party = _case_and_party(reference, token)
    queue_state = queue_shown(request.GET)
    why_not = why_party_stays(draft.application)
    if request.method != "POST" or why_not:
        context = {
            "draft": draft,
            "party": party,
            "why_not": why_not,
            "party_url": party_url(reference, token, queue_state),
        }
        return render(request, "desk/parties/erasure.html", context, status=409 if request.method == "POST" else 200)
    try:
        erase_person(draft.application, token, by=request.user)
    except NotErased as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "Erased. The formation service is told, if it can still change its record.")
    return redirect(case_url(reference, queue_state))


def _state_posted(request: UserRequest, reference: str) -> ViewerState:
    return ViewerState.read(return_query(request.POST, reference))


def _case_and_party(reference: str, token: str) -> tuple[Draft, PartyRow]:
    draft = get_case_or_404(reference)
    party = draft.party(token)
    if party is None:
        raise Http404
    return draft, party


def _page(request: UserRequest, reference: str, token: str, state: ViewerState, **more: Any) -> PartyPage:
    return PartyPage(*_case_and_party(reference, token), state, reader=request.user, **more)


def _draw(request: UserRequest, page: PartyPage, *, status: int = 200) -> HttpResponse:
    if part := _PARTS.get(request.htmx.target or ""):
        return render(request, part, {"page": page})
    live = live_case(page.draft.application, request.user)
    context = {"page": page, "live": live, "page_url": page.here_url}
    return render(request, "desk/parties/party.html", context, status=status)
