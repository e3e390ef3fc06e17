"""A customer's applications: the list, starting one, and deleting a draft."""

from datetime import timedelta

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts import addresses, signing_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import schema_digest
from formation_portal.applications.models import Application, SectionAnswers
from formation_portal.contract.catalog import CatalogItem
from formation_portal.gateway.catalog import Catalog
from formation_portal.invitations.models import Invitation

from ..application_list import SHOWN, application_rows
from ..draft_removal import draft_removal_page
from ..drawn import revision_of
from ..finding import draft_of
from .outage import with_catalog

_A_PAGE = 20
# A second press of Start within this time means the same application.
_SAME_PRESS = timedelta(seconds=10)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def applications(request: UserRequest) -> HttpResponse:
    """The customer's applications, the one saved last first; a post starts one."""
    if request.method == "POST":
        return _start(request)
    # Only what the rows show: most of the page's time would go into columns that it doesn't read.
    answers = Prefetch("section_answers", SectionAnswers.objects.only("application_id", "raw"))
    invited = Prefetch("invitations", Invitation.objects.select_related("party").defer("party__roles"))
    mine = Application.objects.visible_to(request.user).only(*SHOWN).prefetch_related(answers, invited)
    page = Paginator(mine, _A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "rows": application_rows(page.object_list), "unsent": signing_in.unsent(request)}
    return render(request, "portal/applications.html", context)


@with_catalog
def _start(request: UserRequest, offered: Catalog) -> HttpResponse:
    """Start an application for the posted product, and open it. A product that isn't available keeps its page."""
    key = request.POST.get("product", "")
    found = offered.find(key)
    if found is None:
        raise Http404
    if found.item is None or not found.is_available:
        return redirect("portal:product", key=key)
    application = _just_started(request, found.item) or services.start(owner=request.user, product=found.item)
    overview = redirect("portal:overview", reference=application.reference)
    if not addresses.has_confirmed(request.user):
        addresses.after_confirming(request, overview.url)
    return overview


def _just_started(request: UserRequest, item: CatalogItem) -> Application | None:
    untouched = Application.objects.owned_by(request.user).filter(
        product_id=item.jurisdiction_product_id,
        schema_version_id=schema_digest(item.document),
        revision=0,
        created_at__gte=timezone.now() - _SAME_PRESS,
    )
    return untouched.first()


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def removal(request: UserRequest, reference: str) -> HttpResponse:
    """Ask once more, then delete a draft with everything in it. What was submitted is withdrawn, not deleted."""
    draft = draft_of(request, reference, takes=Right.OWN)
    if draft.application.submitted_at is not None or not draft.application.is_open:
        return redirect("portal:status", reference=reference)
    if request.method != "POST":
        return render(request, "portal/removal.html", {"page": draft_removal_page(draft)})
    try:
        services.delete_draft(draft.application, by=request.user, revision=revision_of(request.POST))
    except services.Unread:
        page = draft_removal_page(draft_of(request, reference, takes=Right.OWN))
        return render(request, "portal/removal.html", {"page": page, "is_unread": True}, status=409)
    except services.Closed:
        return redirect("portal:status", reference=reference)
    messages.success(request, gettext("%(name)s was deleted.") % {"name": draft.title})
    return redirect("portal:applications")
