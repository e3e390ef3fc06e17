"""Which cases an agent may open, and of which ones the documents and the numbers that people are known by.

`Right.ALL_CASES` opens every case, `Right.OWN_CASES` those that the agent has claimed or was assigned; both with
documents and numbers. Without a right to a case AGENTS_WITHOUT_RIGHTS decides: "queue" shows its row in the queue
without personal data and nothing else, "cases" its answers, too. Nobody opens their own application's case.

A view says by a decorator below its policy what it opens, and a test walks all addresses to see that it does.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from formation_portal.accounts.models import Right, User
from formation_portal.accounts.policies import UserRequest, agents_with, right_missing_page
from formation_portal.applications.models import Application

from .models import Case

Rest = ParamSpec("Rest")
CaseView = Callable[Concatenate[UserRequest, str, Rest], HttpResponseBase]
DeliveryView = Callable[Concatenate[UserRequest, int, Rest], HttpResponseBase]
AgentView = Callable[Concatenate[UserRequest, Rest], HttpResponseBase]

# More names than this are no help.
_MAX_COLLEAGUES = 5


class Opens(StrEnum):
    """What a view opens."""

    CASE = "case"
    DOCUMENTS = "documents"
    DELIVERY = "delivery"
    EVERY_CASE = "every case"
    # Nothing of a case but its row in the queue: claiming, assigning and releasing.
    QUEUE = "queue"


def opens_of(view: Callable[..., object]) -> Opens | None:
    """What a view declares, or None."""
    return getattr(view, "opens", None)


def has_every_case(reader: User) -> bool:
    """Whether the reader sees the names and answers of all cases."""
    return settings.AGENTS_WITHOUT_RIGHTS == "cases" or reader.has_perm(Right.ALL_CASES.permission)


def can_have_cases(reader: User) -> bool:
    """Whether the reader can open what they claim."""
    return has_every_case(reader) or reader.has_perm(Right.OWN_CASES.permission)


def has_documents(case: Case | None, reader: User) -> bool:
    """Whether the reader may open the documents of a case and see its numbers."""
    if reader.has_perm(Right.ALL_CASES.permission):
        return True
    return case is not None and is_claimed_by(case, reader) and reader.has_perm(Right.OWN_CASES.permission)


def can_open(case: Case, reader: User) -> bool:
    """Whether the reader may open a case, unless it is their own application's."""
    return has_every_case(reader) or has_documents(case, reader)


def is_claimed_by(case: Case, reader: User) -> bool:
    """Whether the reader works on the case."""
    return case.claimed_by_id == reader.pk and case.is_claimed


def can_take_cases(reader: User) -> bool:
    """Whether the reader may claim cases, and open what they have claimed."""
    return reader.has_perm(Right.REVIEW.permission) and can_have_cases(reader)


def reviewers() -> QuerySet[User]:
    """The agents who can be given a case, by name: they may review, and open what is assigned to them."""
    found = agents_with(Right.REVIEW)
    if settings.AGENTS_WITHOUT_RIGHTS == "cases":
        return found
    open_cases = (Q(pk__in=agents_with(right).values("pk")) for right in (Right.OWN_CASES, Right.ALL_CASES))
    return found.filter(Q.create(list(open_cases), Q.OR))


def opens_case(view: CaseView[Rest]) -> CaseView[Rest]:
    """For the pages of a case that name people, and what is done there."""
    return _guard_case(view, Opens.CASE)


def opens_documents(view: CaseView[Rest]) -> CaseView[Rest]:
    """For what hands out a document of a case, or a number that somebody is known by."""
    return _guard_case(view, Opens.DOCUMENTS)


def opens_delivery(view: DeliveryView[Rest]) -> DeliveryView[Rest]:
    """For one delivery, with what was sent and what the service has said: as its application's case."""

    @wraps(view)
    def guarded(request: UserRequest, /, number: int, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        applications = Application.objects.filter(deliveries__pk=number)
        return _refuse(request, applications, Opens.DELIVERY) or view(request, number, *args, **kwargs)

    return _declare(cast(DeliveryView[Rest], guarded), Opens.DELIVERY)


def opens_every_case(view: AgentView[Rest]) -> AgentView[Rest]:
    """For a page that names people of several cases."""

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not has_every_case(request.user):
            return right_missing_page(request, Right.ALL_CASES)
        return view(request, *args, **kwargs)

    return _declare(guarded, Opens.EVERY_CASE)


def takes_cases(view: AgentView[Rest]) -> AgentView[Rest]:
    """For claiming, assigning and releasing, by whoever can open what they claim. What is one's own application is
    refused where it is claimed (queue/claims.py)."""

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not can_have_cases(request.user):
            return right_missing_page(request, Right.OWN_CASES)
        return view(request, *args, **kwargs)

    return _declare(guarded, Opens.QUEUE)


def own_application_page(request: UserRequest, application: int, reference: str) -> HttpResponse:
    """403: it is the reader's own application, and who can review it. Two queries."""
    context = {
        "reference": reference,
        "colleagues": [one.called for one in reviewers().exclude(pk=request.user.pk)[:_MAX_COLLEAGUES]],
        "is_visible": Application.objects.visible_to(request.user).filter(pk=application).exists(),
    }
    return render(request, "desk/own_application.html", context, status=403)


def _standing(found: QuerySet[Application], reader: int) -> QuerySet[Application, tuple[Any, ...]]:
    own = Application.objects.concerning(reader).filter(pk=OuterRef("pk"))
    claim = ("case__claimed_by", "case__claimed_at", "case__open_since")
    return found.annotate(concerns_reader=Exists(own)).values_list("pk", "reference", "concerns_reader", *claim)


def _refuse(request: UserRequest, applications: QuerySet[Application], opens: Opens) -> HttpResponse | None:
    """Why the reader may not open it, as a page; None where they may, and where there is nothing, which the view says.
    One query."""
    reader = request.user
    rights = (Right.ALL_CASES, Right.OWN_CASES)
    takes_right = opens is Opens.DOCUMENTS or not has_every_case(reader)
    if takes_right and not any(reader.has_perm(right.permission) for right in rights):
        return right_missing_page(request, Right.OWN_CASES)
    for pk, reference, is_own, claimed_by, claimed_at, open_since in _standing(applications, reader.pk):
        if is_own:
            return own_application_page(request, pk, reference)
        case = Case(pk=pk, claimed_by_id=claimed_by, claimed_at=claimed_at, open_since=open_since)
        if takes_right and not has_documents(case, reader):
            context = {"reference": reference, "case": case, "shown": request.GET.get("from", "")}
            return render(request, "desk/case_not_claimed.html", context, status=403)
    return None


def _guard_case(view: CaseView[Rest], opens: Opens) -> CaseView[Rest]:
    @wraps(view)
    def guarded(request: UserRequest, /, reference: str, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        applications = Application.objects.submitted().filter(reference=reference)
        return _refuse(request, applications, opens) or view(request, reference, *args, **kwargs)

    return _declare(cast(CaseView[Rest], guarded), opens)


Declared = TypeVar("Declared", bound=Callable[..., HttpResponseBase])


def _declare(view: Declared, opens: Opens) -> Declared:
    view.opens = opens  # type: ignore[attr-defined]  # a mark on the function; read by `opens_of`
    return view
