"""Decide which cases an agent may open, with or without documents and people's identity numbers.

`Right.ALL_CASES` opens every case, `Right.OWN_CASES` those that the agent has claimed or was assigned; both rights
include documents and numbers. An agent without a right to a case sees only its row in the queue, without personal data,
if AGENTS_WITHOUT_RIGHTS is "queue", and also its answers if "cases". No agent can open the agent's own application.
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from functools import wraps
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right, User
from formation_portal.accounts.policies import (
    Rest,
    UserRequest,
    UserView,
    View,
    agent_with,
    agents_with,
    right_missing_page,
)
from formation_portal.applications.models import Application

from .models import Case

_MAX_COLLEAGUES = 5


class Opens(Enum):
    """The kinds of pages that the decorator `opens` guards."""

    # The pages of a case that name people, and their actions; the URL has the `reference` of the case.
    CASE = auto()
    # The documents of a case, and people's identity numbers.
    DOCUMENTS = auto()
    # A delivery, by its `number`: as accessible as its case.
    DELIVERY = auto()
    # A page that names people of many cases.
    EVERY_CASE = auto()
    # The rows of the queue, for agents who can open cases they claim. A claim itself refuses own applications.
    QUEUE = auto()


def has_every_case(reader: User) -> bool:
    return settings.AGENTS_WITHOUT_RIGHTS == "cases" or reader.has_perm(Right.ALL_CASES.permission)


def has_documents(case: Case, reader: User) -> bool:
    if reader.has_perm(Right.ALL_CASES.permission):
        return True
    is_claimed_by_reader = case.is_claimed and case.claimed_by_id == reader.pk
    return is_claimed_by_reader and reader.has_perm(Right.OWN_CASES.permission)


def can_open(case: Case, reader: User) -> bool:
    return has_every_case(reader) or has_documents(case, reader)


def can_open_claimed(reader: User) -> bool:
    return has_every_case(reader) or reader.has_perm(Right.OWN_CASES.permission)


def can_take_cases(reader: User) -> bool:
    return reader.has_perm(Right.REVIEW.permission) and can_open_claimed(reader)


def reviewers() -> QuerySet[User]:
    """Return the agents who can be given a case, by name: those who may review, and open assigned cases."""
    agents = agents_with(Right.REVIEW)
    if settings.AGENTS_WITHOUT_RIGHTS == "cases":
        return agents
    own_cases = Q(pk__in=agents_with(Right.OWN_CASES).values("pk"))
    return agents.filter(own_cases | Q(pk__in=agents_with(Right.ALL_CASES).values("pk")))


def opens(kind: Opens) -> Callable[[UserView[Rest]], UserView[Rest]]:
    """Guard a view: answer agents without access with a page that says why. Apply below `agent` or `agent_with`."""

    def guard(view: UserView[Rest]) -> UserView[Rest]:
        @wraps(view)
        def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
            return _refusal(request, kind, kwargs) or view(request, *args, **kwargs)

        return guarded

    return guard


def case_action(
    right: Right, *, leads_to: str = "desk:case", kind: Opens = Opens.CASE
) -> Callable[[UserView[Rest]], View[Rest]]:
    """Declare a view that changes a case, for agents who have the right and may open this kind of page.

    A GET, as after a new sign-in, redirects to the URL that is named `leads_to`.
    """

    def guard(view: UserView[Rest]) -> View[Rest]:
        @wraps(view)
        def posted(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
            if request.method == "POST":
                return view(request, *args, **kwargs)
            address: dict[str, Any] = {name: value for name, value in kwargs.items() if name != "number"}
            if "reference" in address:
                get_object_or_404(Application.objects.submitted(), reference=address["reference"])
            return redirect(reverse(leads_to, kwargs=address))

        return require_http_methods(["GET", "HEAD", "POST"])(agent_with(right)(opens(kind)(posted)))

    return guard


def _refusal(request: UserRequest, kind: Opens, address: Mapping[str, Any]) -> HttpResponse | None:
    """Return the page that says why the reader has no access; None with access, or if the case does not exist."""
    reader = request.user
    if kind is Opens.QUEUE:
        return None if can_open_claimed(reader) else right_missing_page(request, Right.OWN_CASES)
    if kind is Opens.EVERY_CASE:
        return None if has_every_case(reader) else right_missing_page(request, Right.ALL_CASES)
    needs_right = kind is Opens.DOCUMENTS or not has_every_case(reader)
    if needs_right and not (reader.has_perm(Right.ALL_CASES.permission) or reader.has_perm(Right.OWN_CASES.permission)):
        return right_missing_page(request, Right.OWN_CASES)
    if kind is Opens.DELIVERY:
        applications = Application.objects.filter(deliveries__pk=address["number"])
    else:
        applications = Application.objects.submitted().filter(reference=address["reference"])
    own = Application.objects.concerning(reader.pk).filter(pk=OuterRef("pk"))
    claim = ("case__claimed_by", "case__claimed_at", "case__open_since")
    row = applications.annotate(is_readers=Exists(own)).values_list("pk", "reference", "is_readers", *claim).first()
    if row is None:
        return None
    pk, reference, is_own, claimed_by, claimed_at, open_since = row
    if is_own:
        return own_application_page(request, pk, reference)
    case = Case(pk=pk, claimed_by_id=claimed_by, claimed_at=claimed_at, open_since=open_since)
    if not needs_right or has_documents(case, reader):
        return None
    context = {"reference": reference, "case": case, "shown": request.GET.get("from", "")}
    return render(request, "desk/case_not_claimed.html", context, status=403)


def own_application_page(request: UserRequest, application: int, reference: str) -> HttpResponse:
    """Answer 403 for the reader's own application; name possible reviewers. Two SQL queries."""
    context = {
        "reference": reference,
        "colleagues": [agent.called for agent in reviewers().exclude(pk=request.user.pk)[:_MAX_COLLEAGUES]],
        "is_visible": Application.objects.visible_to(request.user).filter(pk=application).exists(),
    }
    return render(request, "desk/own_application.html", context, status=403)
