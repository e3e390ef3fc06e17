"""Export a customer's data, delete the account, and keep a draft that is about to be deleted."""

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from formation_portal.accounts.policies import (
    AnyRequest,
    UserRequest,
    customer,
    public,
    reauthenticated,
    recently_authenticated,
    signed_in,
)
from formation_portal.applications.access import Right
from formation_portal.applications.services import Closed, keep_draft
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.privacy.accounts import AccountContent, NotErasable, erase_account
from formation_portal.privacy.export import account_archive
from formation_portal.ui.downloads import as_attachment

from ..lookups import get_draft_or_404
from .pages import application_links, retention_sentences


@require_safe
@signed_in
def your_data(request: UserRequest) -> HttpResponse:
    """Offer the export and the deletion, and say how long data is stored."""
    return render(request, "portal/privacy/your_data.html", {"kept": retention_sentences()})


@require_safe
@signed_in
@recently_authenticated
def export(request: UserRequest) -> HttpResponseBase:
    """Download all data of the reader as an archive, and record the export in the audit log."""
    if request.method != "HEAD":
        chain.append(AuditAction.EXPORT, by=request.user, application=None, subject=request.user.pk)
    response = StreamingHttpResponse(account_archive(request.user), content_type="application/zip")
    return as_attachment(response, name="your-data.zip")


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@reauthenticated
def deletion(request: UserRequest) -> HttpResponse:
    if request.method != "POST":
        return _render_deletion(request)
    user = request.user
    try:
        erase_account(user, by=user)
    except NotErasable:
        return _render_deletion(request, status=409)
    logout(request)
    return redirect("portal:account_deleted")


@require_safe
@public
def deleted(request: AnyRequest) -> HttpResponse:
    return render(request, "portal/privacy/account_deleted.html")


def _render_deletion(request: UserRequest, *, status: int = 200) -> HttpResponse:
    content = AccountContent.of(request.user)
    context = {
        "is_staff": request.user.is_agent or request.user.is_staff,
        "under_way": application_links(content.under_way),
        "deleted": application_links(content.goes),
        "kept": application_links(content.stays),
    }
    return render(request, "portal/privacy/account_deletion.html", context, status=status)


@require_POST
@customer
def keeping(request: UserRequest, reference: str) -> HttpResponse:
    """Keep a draft that is about to be deleted, by marking it as changed now."""
    draft = get_draft_or_404(request, reference, takes=Right.EDIT)
    try:
        keep_draft(draft, by=request.user)
    except Closed:
        return redirect("portal:status", reference=reference)
    messages.success(request, gettext("This draft is kept."))
    return redirect("portal:overview", reference=reference)
