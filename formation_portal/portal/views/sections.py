"""The page of one section about the entity: its questions, saved as they are typed."""

from functools import partial

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.contract.schema import Section
from formation_portal.portal.posted import posted_version

from ..conflict import clashes
from ..drawn import seen_of
from ..finding import draft_of, entity_section
from ..posted import read_answers
from ..section_page import section_page
from ..steps import url_after
from . import answering
from .answering import proposed


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def section(request: UserRequest, reference: str, key: str) -> HttpResponse:
    """GET draws the questions. POST saves what is filled in and chosen; an unreadable answer stands as typed."""
    draft = draft_of(request, reference)
    asked = entity_section(draft, key)
    if request.method == "POST":
        return _save(request, draft, asked)
    return answering.draw(request, section_page(draft, asked, earlier=EarlierFiles(draft, request.user)))


def _save(request: UserRequest, draft: Draft, asked: Section) -> HttpResponse:
    earlier = EarlierFiles(draft, request.user)
    before = section_page(draft, asked, earlier=earlier)
    raw = read_answers(before.sheet, request.POST) | proposed(request, before)
    version, seen = posted_version(request.POST), seen_of(request.POST, draft)
    return answering.save(
        request,
        before,
        page=partial(section_page, draft, asked, earlier=earlier),
        keep=lambda: services.save_section(draft, asked, raw, version=version, by=request.user, page_version=seen),
        clashes=partial(clashes, before.sheet),
        onwards=lambda: url_after(draft, "section", asked.key),
    )
