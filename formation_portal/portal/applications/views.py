"""A customer's applications: the list, starting one, the overview, copying, transfer, a new form, deleting a draft."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Prefetch
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts import addresses
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.accounts.unsent_forms import unsent_form
from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft, schema_digest
from formation_portal.applications.models import Application, SectionAnswers
from formation_portal.gateway.catalog import Catalog
from formation_portal.invitations.models import Invitation
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import ResourceKind
from formation_portal.ui.forms.form_data import posted_revision
from formation_portal.ui.pagination import numbered_links

from ..catalog.views import with_catalog
from ..feedback import delivery_summary
from ..lookups import get_draft_or_404
from ..pages import ConfirmPage
from ..parties.pages import CHOOSING
from .overview import OverviewPage, newer_form
from .pages import (
    ROW_FIELDS,
    CarryOverPage,
    FormChangePage,
    application_row,
    copied_things,
    declarations_left_out,
    deleted_things,
    is_another,
    products_by_place,
)

_A_PAGE = 20
# A second press of Start within this time means the same application.
_SAME_PRESS = timedelta(seconds=10)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def applications(request: UserRequest) -> HttpResponse:
    """The customer's applications, the one saved last first; a post starts one."""
    if request.method == "POST":
        return _start_application(request)
    # Only what the rows show: most of the page's time would go into columns that it doesn't read.
    answers = Prefetch("section_answers", SectionAnswers.objects.only("application_id", "section_key", "raw"))
    invited = Prefetch("invitations", Invitation.objects.select_related("party").defer("party__roles"))
    mine = Application.objects.visible_to(request.user).only(*ROW_FIELDS).prefetch_related(answers, invited)
    page = Paginator(mine, _A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [application_row(application) for application in page.object_list],
        "links": numbered_links(page, request.GET),
        "unsent": unsent_form(request),
    }
    return render(request, "portal/applications/applications.html", context)


@with_catalog
def _start_application(request: UserRequest, offered: Catalog) -> HttpResponse:
    """Start an application for the posted product, and open it. A product that isn't available keeps its page."""
    key = request.POST.get("product", "")
    found = offered.find(key)
    if found is None:
        raise Http404
    if found.item is None or not found.is_available:
        return redirect("portal:product", key=key)
    form = {"product_id": found.item.jurisdiction_product_id, "schema_version_id": schema_digest(found.item.document)}
    with _one_press(request):
        application = _just_made(request, **form) or services.start(owner=request.user, product=found.item)
    overview = redirect("portal:overview", reference=application.reference)
    if not addresses.has_confirmed(request.user):
        addresses.after_confirming(request, overview.url)
    return overview


@contextmanager
def _one_press(request: UserRequest) -> Iterator[None]:
    """Open a transaction in which no other press makes an application for the account. Raises Http404 for a deleted
    account."""
    with transaction.atomic():
        try:
            services.lock_owner(request.user)
        except services.Gone as gone:
            raise Http404 from gone
        yield


def _just_made(request: UserRequest, *, entry: str = "", **more: str) -> Application | None:
    """The untouched application that the same press has made already, with that entry as its history where one is
    named."""
    own = Application.objects.owned_by(request.user)
    made = own.filter(revision=0, created_at__gte=timezone.now() - _SAME_PRESS, **more)
    if not entry:
        return made.first()
    begun = made.prefetch_related("changes")
    return next((one for one in begun if any(change.what == entry for change in one.changes.all())), None)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def removal(request: UserRequest, reference: str) -> HttpResponse:
    """Ask once more, then delete a draft with everything in it. What was submitted is withdrawn, not deleted."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if draft.application.submitted_at is not None or not draft.application.is_open:
        return redirect("portal:status", reference=reference)
    if request.method != "POST":
        return _ask_about_removal(request, draft)
    try:
        services.delete_draft(draft.application, by=request.user, revision=posted_revision(request.POST))
    except services.Unread:
        draft = get_draft_or_404(request, reference, takes=Right.OWN)
        return _ask_about_removal(request, draft, is_unread=True, status=409)
    except services.Closed:
        return redirect("portal:status", reference=reference)
    messages.success(request, gettext("%(name)s was deleted.") % {"name": draft.title})
    return redirect("portal:applications")


def _ask_about_removal(
    request: UserRequest, draft: Draft, *, is_unread: bool = False, status: int = 200
) -> HttpResponse:
    """What goes with the draft, and whether the service can take it back: three queries."""
    overview = reverse("portal:overview", args=[draft.application.reference])
    context = {
        "page": ConfirmPage(draft, overview, gettext("Overview")),
        "goes": list(deleted_things(draft)),
        "may_stay": deliveries_of(draft.application).cannot_be_removed(ResourceKind.ENTITY, ""),
        "is_unread": is_unread,
    }
    return render(request, "portal/applications/draft_removal.html", context, status=status)


@require_safe
@customer
def overview(request: UserRequest, reference: str) -> HttpResponse:
    """The task list while answers can be changed; afterwards the status says more."""
    draft = get_draft_or_404(request, reference)
    if not draft.application.is_open:
        return redirect("portal:status", reference=reference)
    page = OverviewPage(draft, delivery_summary(draft))
    return render(request, "portal/applications/overview.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def copy(request: UserRequest, reference: str) -> HttpResponse:
    """Say what is copied, then make a new draft with it. The old application stays as it is."""
    draft = get_draft_or_404(request, reference)
    if request.method != "POST":
        overview = reverse("portal:overview", args=[reference])
        page = ConfirmPage(draft, overview, gettext("Back to application"))
        context = {
            "page": page,
            "copied": list(copied_things(draft)),
            "declarations": declarations_left_out(draft),
        }
        return render(request, "portal/applications/copy.html", context)
    entry = services.COPIED_FROM.format(reference=reference)
    try:
        with _one_press(request):
            made = _just_made(request, entry=entry) or services.create_copy(draft, by=request.user)
    except services.NotCopied as refused:
        messages.error(request, f"{refused}.")
        return redirect("portal:copy", reference=reference)
    messages.success(request, gettext("This is a copy of {name}. It has its own reference.").format(name=draft.title))
    return redirect("portal:overview", reference=made.reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def carry_over(request: UserRequest, reference: str) -> HttpResponse:
    """`?product` compares; without it the product is chosen. A post starts there with what fits."""
    return _carry_over(request, get_draft_or_404(request, reference))


@with_catalog
def _carry_over(request: UserRequest, offered: Catalog, draft: Draft) -> HttpResponse:
    key = request.GET.get("product", "")
    if not key or CHOOSING in request.GET:
        context = {"draft": draft, "places": products_by_place(draft, offered), "chosen": key}
        return render(request, "portal/applications/carry_over_choice.html", context)
    found = offered.find(key)
    if found is None or found.item is None or not is_another(draft, found):
        raise Http404
    page = CarryOverPage(draft, found, found.item)
    if request.method != "POST":
        return render(request, "portal/applications/carry_over.html", {"page": page})
    # Only what was seen is done.
    if request.POST.get("seen") != page.seen:
        return render(request, "portal/applications/carry_over.html", {"page": page, "is_new": True}, status=409)
    entry = services.CREATED_FROM.format(reference=draft.application.reference)
    try:
        with _one_press(request):
            made = _just_made(request, entry=entry, product_id=page.item.jurisdiction_product_id)
            if made is None:
                made = services.create_from(draft, product=page.item, content=page.transfer.content, by=request.user)
    except services.NotCopied as refused:
        messages.error(request, f"{refused}.")
        return redirect(request.get_full_path())
    messages.success(
        request, gettext("This is a new draft with the answers we could reuse from {name}.").format(name=draft.title)
    )
    return redirect("portal:overview", reference=made.reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def new_form(request: UserRequest, reference: str) -> HttpResponse:
    """What is new, gone and renamed; a post takes the form over as it was seen. Without another form, the overview."""
    draft = get_draft_or_404(request, reference)
    item = newer_form(draft) if draft.application.can_be_changed else None
    if item is None:
        return redirect("portal:overview", reference=reference)
    page = FormChangePage(draft, item)
    if request.method != "POST":
        return render(request, "portal/applications/new_form.html", {"page": page})
    if request.POST.get("seen") != page.seen:
        return render(request, "portal/applications/new_form.html", {"page": page, "is_new": True}, status=409)
    try:
        services.adopt_form(draft, product=item, by=request.user)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
    else:
        messages.success(request, gettext("This application now uses the new form."))
    return redirect("portal:overview", reference=reference)
