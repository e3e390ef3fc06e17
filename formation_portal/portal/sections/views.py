"""The page of one section, saved as it is typed, and replies to our reviewer that stand beside no question."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.contract.schema import Section
from formation_portal.ui.forms.form_data import posted_answers, posted_page_version, posted_version

from ..lookups import get_draft_or_404, get_section_or_404
from ..navigation import next_url
from ..review_feedback import save_replies
from . import question_views
from .conflicts import field_conflicts
from .pages import section_page
from .question_views import posted_proposal


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def section(request: UserRequest, reference: str, key: str) -> HttpResponse:
    """GET draws the questions. POST saves what is filled in and chosen; an unreadable answer stands as typed."""
    draft = get_draft_or_404(request, reference)
    asked = get_section_or_404(draft, key)
    if request.method == "POST":
        return _save(request, draft, asked)
    return question_views.render_page(request, section_page(draft, asked, earlier=EarlierFiles(draft, request.user)))


def _save(request: UserRequest, draft: Draft, asked: Section) -> HttpResponse:
    earlier = EarlierFiles(draft, request.user)
    before = section_page(draft, asked, earlier=earlier)
    raw = posted_answers(before.form, request.POST) | posted_proposal(request, before)
    version, seen = posted_version(request.POST), posted_page_version(request.POST, draft)
    return question_views.save_page(
        request,
        before,
        page=partial(section_page, draft, asked, earlier=earlier),
        keep=lambda: services.save_section(draft, asked, raw, version=version, by=request.user, page_version=seen),
        clashes=partial(field_conflicts, before.form),
        onwards=lambda: next_url(draft, "section", asked.key),
    )


_BACK = {"overview", "status", "documents", "shares"}


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def replies(request: UserRequest, reference: str) -> HttpResponse:
    """Keep what was written, and go back to the page it was written on. A GET only leads to the overview."""
    draft = get_draft_or_404(request, reference)
    page = request.POST.get("next", "")
    if request.method == "POST":
        try:
            kept = save_replies(draft, request.POST, by=request.user)
        except services.Closed as closed:
            messages.error(request, f"{closed}.")
        else:
            if kept:
                messages.success(request, gettext("Reply saved. We will send it with your corrections."))
            else:
                messages.error(request, gettext("Our reviewer has withdrawn this query."))
    return redirect(f"portal:{page if page in _BACK else 'overview'}", reference=reference)
