"""List, start, show, copy, transfer and delete a customer's applications, and adopt a newer form."""

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
from ..refusals import refusals_as_messages
from .overview import OverviewPage, newer_form
from .pages import (
    ROW_FIELDS,
    CarryOverPage,
    FormChangePage,
    application_row,
    copied_content,
    declarations_left_out,
    deleted_content,
    is_another,
    products_by_place,
)

_PAGE_SIZE = 20
# Within this time, a second press of a button leads to the first press's application.
_SAME_PRESS = timedelta(seconds=10)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def applications(request: UserRequest) -> HttpResponse:
    """List the customer's applications, the last saved first. A post starts another."""
    if request.method == "POST":
        return _start_application(request)
    # Load only the columns of the rows: reading the others would take most of the page's time.
    answers = Prefetch("section_answers", SectionAnswers.objects.only("application_id", "section_key", "raw"))
    invitations = Prefetch("invitations", Invitation.objects.select_related("party").defer("party__roles"))
    visible = Application.objects.visible_to(request.user).only(*ROW_FIELDS).prefetch_related(answers, invitations)
    page = Paginator(visible, _PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [application_row(application) for application in page.object_list],
        "links": numbered_links(page, request.GET),
        "unsent": unsent_form(request),
    }
    return render(request, "portal/applications/applications.html", context)


@with_catalog
def _start_application(request: UserRequest, offered: Catalog) -> HttpResponse:
    """Start an application for the posted product, or show the product's page if it is not available."""
    key = request.POST.get("product", "")
    product = offered.find(key)
    if product is None:
        raise Http404
    item = product.item
    if item is None or not product.is_available:
        return redirect("portal:product", key=key)
    form = {"product_id": item.jurisdiction_product_id, "schema_version_id": schema_digest(item.document)}
    with _single_press(request):
        application = _just_created(request, **form) or services.start(owner=request.user, product=item)
    overview = redirect("portal:overview", reference=application.reference)
    if not addresses.has_confirmed(request.user):
        addresses.after_confirming(request, overview.url)
    return overview


@contextmanager
def _single_press(request: UserRequest) -> Iterator[None]:
    """Keep other requests from creating an application for the account meanwhile; 404 if the account is gone."""
    with transaction.atomic():
        try:
            services.lock_owner(request.user)
        except services.Gone as gone:
            raise Http404 from gone
        yield


def _just_created(request: UserRequest, *, entry: str = "", **filters: str) -> Application | None:
    """Return the untouched application that an earlier press has just created, or None. `entry` is in its history."""
    since = timezone.now() - _SAME_PRESS
    created = Application.objects.owned_by(request.user).filter(revision=0, created_at__gte=since, **filters)
    if not entry:
        return created.first()
    for application in created.prefetch_related("changes"):
        if any(change.what == entry for change in application.changes.all()):
            return application
    return None


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def removal(request: UserRequest, reference: str) -> HttpResponse:
    """Ask for confirmation, then delete a draft. A submitted application can only be withdrawn."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if draft.application.submitted_at is not None or not draft.application.is_open:
        return redirect("portal:status", reference=reference)
    if request.method != "POST":
        return _render_removal(request, draft)
    try:
        services.delete_draft(draft.application, by=request.user, revision=posted_revision(request.POST))
    except services.Unread:
        draft = get_draft_or_404(request, reference, takes=Right.OWN)
        return _render_removal(request, draft, is_unread=True, status=409)
    except services.Closed:
        return redirect("portal:status", reference=reference)
    messages.success(request, gettext("%(name)s was deleted.") % {"name": draft.title})
    return redirect("portal:applications")


def _render_removal(request: UserRequest, draft: Draft, *, is_unread: bool = False, status: int = 200) -> HttpResponse:
    """Show what is deleted with the draft, and warn if the service may keep its copy. Makes three SQL queries."""
    overview = reverse("portal:overview", args=[draft.application.reference])
    context = {
        "page": ConfirmPage(draft, overview, gettext("Overview")),
        "goes": deleted_content(draft),
        "may_stay": deliveries_of(draft.application).cannot_be_removed(ResourceKind.ENTITY, ""),
        "is_unread": is_unread,
    }
    return render(request, "portal/applications/draft_removal.html", context, status=status)


@require_safe
@customer
def overview(request: UserRequest, reference: str) -> HttpResponse:
    draft = get_draft_or_404(request, reference)
    if not draft.application.is_open:
        return redirect("portal:status", reference=reference)
    page = OverviewPage(draft, delivery_summary(draft))
    return render(request, "portal/applications/overview.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def copy(request: UserRequest, reference: str) -> HttpResponse:
    """Say what a copy contains, then create it. The application itself stays as it is."""
    draft = get_draft_or_404(request, reference)
    if request.method != "POST":
        overview = reverse("portal:overview", args=[reference])
        context = {
            "page": ConfirmPage(draft, overview, gettext("Back to application")),
            "copied": copied_content(draft),
            "declarations": declarations_left_out(draft),
        }
        return render(request, "portal/applications/copy.html", context)
    entry = services.COPIED_FROM.format(reference=reference)
    try:
        with _single_press(request):
            created = _just_created(request, entry=entry) or services.create_copy(draft, by=request.user)
    except services.NotCopied as refused:
        messages.error(request, f"{refused}.")
        return redirect("portal:copy", reference=reference)
    messages.success(request, gettext("This is a copy of {name}. It has its own reference.").format(name=draft.title))
    return redirect("portal:overview", reference=created.reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@with_catalog
def carry_over(request: UserRequest, offered: Catalog, reference: str) -> HttpResponse:
    """Offer other products, or compare the draft with `?product`. A post starts a draft with the fitting answers."""
    draft = get_draft_or_404(request, reference)
    key = request.GET.get("product", "")
    if not key or CHOOSING in request.GET:
        context = {"draft": draft, "places": products_by_place(draft, offered), "chosen": key}
        return render(request, "portal/applications/carry_over_choice.html", context)
    product = offered.find(key)
    if product is None or product.item is None or not is_another(draft, product):
        raise Http404
    page = CarryOverPage(draft, product, product.item)
    if request.method != "POST":
        return render(request, "portal/applications/carry_over.html", {"page": page})
    # The draft or the form has changed since the page was drawn.
    if request.POST.get("seen") != page.seen:
        return render(request, "portal/applications/carry_over.html", {"page": page, "is_new": True}, status=409)
    entry = services.CREATED_FROM.format(reference=draft.application.reference)
    try:
        with _single_press(request):
            created = _just_created(request, entry=entry, product_id=page.item.jurisdiction_product_id)
            if created is None:
                content = page.transfer.content
                created = services.create_from(draft, item=page.item, content=content, by=request.user)
    except services.NotCopied as refused:
        messages.error(request, f"{refused}.")
        return redirect(request.get_full_path())
    sentence = gettext("This is a new draft with the answers we could reuse from {name}.")
    messages.success(request, sentence.format(name=draft.title))
    return redirect("portal:overview", reference=created.reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def new_form(request: UserRequest, reference: str) -> HttpResponse:
    """Show what a newer form changes; a post adopts it. Without one, redirect to the overview."""
    draft = get_draft_or_404(request, reference)
    item = newer_form(draft) if draft.application.can_be_changed else None
    if item is None:
        return redirect("portal:overview", reference=reference)
    page = FormChangePage(draft, item)
    if request.method != "POST":
        return render(request, "portal/applications/new_form.html", {"page": page})
    if request.POST.get("seen") != page.seen:
        return render(request, "portal/applications/new_form.html", {"page": page, "is_new": True}, status=409)
    with refusals_as_messages(request):
        services.adopt_form(draft, product=item, by=request.user)
        messages.success(request, gettext("This application now uses the new form."))
    return redirect("portal:overview", reference=reference)
