"""Show the deliveries that only an agent can resolve, and record decisions about them."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with
from formation_portal.relay.models import Delivery
from formation_portal.relay.refused_events import refusal_notices
from formation_portal.relay.resolution import DecisionOutdated, DecisionRefused, deliveries_in
from formation_portal.relay.service_profile import service_notices
from formation_portal.ui.pagination import numbered_links

from ..case_access import Opens, opens
from ..lookups import get_delivery_or_404
from .forms import ResolutionForm, resolved_message
from .pages import delivery_page, delivery_rows, delivery_views

_A_PAGE = 50


@require_safe
@agent
@opens(Opens.EVERY_CASE)
def deliveries(request: UserRequest) -> HttpResponse:
    chosen = request.GET.get("state", "")
    page = Paginator(deliveries_in(chosen), _A_PAGE).get_page(request.GET.get("page"))
    context = {
        "rows": delivery_rows(list(page.object_list)),
        "links": numbered_links(page, request.GET),
        "views": delivery_views(chosen),
        "notices": _notices(),
    }
    return render(request, "desk/deliveries/deliveries.html", context)


@require_safe
@agent
@opens(Opens.DELIVERY)
def delivery(request: UserRequest, number: int) -> HttpResponse:
    return _draw(request, get_delivery_or_404(number), ResolutionForm())


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.DECIDE)
@opens(Opens.DELIVERY)
def delivery_resolution(request: UserRequest, number: int) -> HttpResponse:
    """Record a decision. A GET, as after a new sign-in, redirects to the delivery."""
    row = get_delivery_or_404(number)
    if request.method != "POST":
        return redirect("desk:delivery", number=row.pk)
    form = ResolutionForm(request.POST)
    if not form.is_valid():
        return _draw(request, row, form, status=422)
    try:
        decision = form.store(row.pk, agent=request.user)
    except DecisionOutdated as changed:
        messages.error(request, f"{changed}.")
        return _draw(request, get_delivery_or_404(number), form, status=409)
    except DecisionRefused as refused:
        form.add_refusal(refused)
        return _draw(request, row, form, status=422)
    messages.success(request, resolved_message(decision))
    return redirect("desk:delivery", number=row.pk)


def _draw(request: UserRequest, row: Delivery, form: ResolutionForm, *, status: int = 200) -> HttpResponse:
    context = {"page": delivery_page(row, form), "problems": form.problems, "notices": _notices()}
    return render(request, "desk/deliveries/delivery.html", context, status=status)


def _notices() -> list[tuple[str, bool]]:
    """Return notices about the service and its events, and whether each is a problem. Two SQL queries."""
    refusals = [(f"{notice.text} {notice.remedy}", True) for notice in refusal_notices()]
    return [*service_notices(), *refusals]
