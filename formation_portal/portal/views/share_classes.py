"""Classes of shares: adding one, and its own page."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.fields import is_token, new_token
from formation_portal.contract.language import say
from formation_portal.portal.posted import posted_version

from ..conflict import clashes
from ..drawn import seen_of
from ..finding import draft_of, share_class_of, share_section
from ..posted import read_answers
from ..share_class_page import ShareClassPage, share_class_page
from . import answering
from .answering import proposed


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def share_class_new(request: UserRequest, reference: str) -> HttpResponse:
    """A new class; its token travels with the page, so that every post of it is about the same class."""
    draft = draft_of(request, reference)
    section = share_section(draft)
    posted = request.POST.get("token", "")
    token = posted if is_token(posted) else new_token()
    return _answer(request, partial(share_class_page, draft, section, token=token))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def share_class(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """The page of one class."""
    draft = draft_of(request, reference)
    section, found = share_section(draft), share_class_of(draft, token)
    return _answer(request, partial(share_class_page, draft, section, token=found.token))


def _answer(request: UserRequest, page: Callable[[], ShareClassPage]) -> HttpResponse:
    before = page()
    if request.method != "POST":
        return answering.draw(request, before)
    return answering.save(
        request,
        before,
        page=page,
        keep=lambda: _keep(request, before),
        clashes=partial(clashes, before.sheet),
        onwards=lambda: before.shares_url,
        said=lambda: messages.success(request, say("{name} was saved.", name=page().title)),
    )


def _keep(request: UserRequest, page: ShareClassPage) -> services.KeptTheirs:
    raw = read_answers(page.sheet, request.POST) | proposed(request, page)
    seen = seen_of(request.POST, page.draft)
    if page.share_class is None:
        services.add_share_class(page.draft, raw, by=request.user, token=page.token, page_version=seen)
        return ()
    version = posted_version(request.POST)
    return services.save_share_class(
        page.draft, page.share_class, raw, version=version, by=request.user, page_version=seen
    )
