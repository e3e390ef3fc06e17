"""The page of one section about the entity: its questions, saved as they are typed."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft
from formation_portal.contract.schema import Section

from ..arrivals import give_it_a_moment
from ..conflict import clashes
from ..finding import draft_of, entity_section, posted_version
from ..posted import read_answers
from ..section_page import SectionPage, section_page
from ..steps import url_after
from .answering import answer_change, draw_conflict, following


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def section(request: UserRequest, reference: str, key: str) -> HttpResponse:
    """GET draws the questions. POST saves what is filled in, and goes on, away, or stays, as the button says."""
    draft = draft_of(request, reference)
    asked = entity_section(draft, key)
    if request.method == "POST":
        return _save(request, draft, asked)
    return _draw(request, section_page(draft, asked))


def _save(request: UserRequest, draft: Draft, asked: Section) -> HttpResponse:
    before = section_page(draft, asked).sheet
    raw = read_answers(before, request.POST)
    try:
        saving.save_section(draft, asked, raw, version=posted_version(request.POST), by=request.user)
    except saving.Stale as stale:
        return draw_conflict(request, section_page(draft, asked), clashes(before, stale))
    except saving.Closed:
        return _draw(request, section_page(draft, asked), status=409)
    if request.htmx:
        return answer_change(request, section_page(draft, asked), before=before)
    give_it_a_moment(draft.application)
    page = section_page(draft, asked)
    if page.sheet.objects_more_than(before):
        return _draw(request, page, status=422)
    return redirect(following(request, page, onwards=url_after(draft, "section", asked.key)))


def _draw(request: UserRequest, page: SectionPage, *, status: int = 200) -> HttpResponse:
    template = "portal/section.html" if page.draft.application.is_open else "portal/_section_closed.html"
    return render(request, template, {"page": page, "problems": page.problems}, status=status)
