"""What queue, search and statistics cost with 100,000 cases, against 10,000 and 1,000; at most 12 queries."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.fields import new_reference
from formation_portal.applications.models import Application, Change
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case, CaseWord, Offer
from formation_portal.desk.queue.queue_index import search_words
from formation_portal.reviews.models import Query, QueryReason
from tests.desk.factories import searched

from . import Measure, forms
from .meter import Meter, browser_of

FEW, MANY = 1_000, 100_000
_AT_ONCE = 5_000
_CLOSED = 3
_JURISDICTIONS, _PRODUCTS = 20, 32
# Each view; then words that as many cases have among few as among many, that all have, that an eighth and a fifth have,
# that none has; jurisdictions and products; and the worst: two things that many have, and none has both. Pages are
# equally long on both sides.
QUESTIONS = {
    "waiting": "",
    "all": "?view=all",
    "closed_view": "?view=closed&sort=newest",
    "unclaimed": "?view=unclaimed",
    "mine": "?view=mine",
    "overdue": "?view=overdue",
    "answered": "?view=answered&sort=newest",
    "confirm": "?view=confirm",
    "closed": "?state=incorporated",
    "search_company": "?q=company000977",
    "search_person": "?q=solveig+holdings",
    "search_people": "?q=given3+family2",
    "search_common": "?q=holdings+limited",
    "search_none": "?q=holdings+nobody",
    "search_view": "?view=unclaimed&q=holdings&holder=nobody",
    "search_worst": "?q=given3+given4",
    "figures": "figures/",
    "figures_of_a_year": "figures/?period=12-months",
    "search_worst_of_six": "?q=given3+holdings+limited+nils+family2+given4",
    "place": "?place=Place+3",
    "product": "?product=product-5&sort=newest",
    "place_and_product": "?place=Place+3&product=product-3",
    "place_in_view": "?view=overdue&place=Place+3&state=submitted_for_review",
    "place_worst": "?place=Place+3&product=product-4",
    "place_worst_in_view": "?view=unclaimed&place=Place+3&product=product-4",
    "place_worst_of_words": "?place=Place+4&q=given3",
    "state_worst_of_words": "?state=incorporated&q=given4",
}


def measures(owner: Any, meter: Meter, *, many: int = MANY) -> Iterator[Measure]:
    """Each question's cost with many, how it grew from a tenth of them and from few, and the most queries of one."""
    agent = get_user_model().objects.create_user("bench-agent@example.com", first_name="Mira", is_agent=True)
    client = browser_of(agent, accepts="identity")
    create_filter_offers()
    questions = {name: searched(client, query) for name, query in QUESTIONS.items()}
    before: list[dict[str, float]] = []
    there_are = 0
    first = min(FEW, many // 2)
    for count in (first, max(first, many // 10)):
        fill(owner, count - there_are)
        fill_history(count)
        there_are = count
        calls = {name: partial(client.get, f"/desk/{query}") for name, query in questions.items()}
        before.append({name: meter.against_nothing(call)[1] for name, call in calls.items()})
    few, tenth = before
    fill(owner, many - there_are)
    fill_history(many)
    most = 0
    for name, call in calls.items():
        spent, against_nothing = meter.against_nothing(call)
        yield f"desk_{name}_{many}", spent, "ms"
        yield f"desk_{name}_growth", against_nothing / few[name], "x"
        yield f"desk_{name}_growth_by_ten", against_nothing / tenth[name], "x"
        with CaptureQueriesContext(connection) as captured:
            call()
        most = max(most, len(captured))
    yield "desk_queries", most, "queries"


def create_filter_offers() -> None:
    Offer.objects.bulk_create(
        Offer(product=f"product-{number}", name=f"Company {number}", place=f"Place {number % _JURISDICTIONS}")
        for number in range(_PRODUCTS)
    )


def fill(owner: Any, count: int) -> None:
    """So many cases more, three in four still open, an hour after each other."""
    model = services.start(owner=owner, product=CatalogItem.model_validate(forms.product(60)))
    begun = Case.objects.count()
    for at in range(begun, begun + count, _AT_ONCE):
        _fill(model, range(at, min(at + _AT_ONCE, begun + count)))


def _fill(model: Application, numbers: range) -> None:
    now = timezone.now()
    applications = [
        Application(
            reference=new_reference(),
            owner=model.owner,
            product_id=model.product_id,
            product=model.product,
            schema_version_id=model.schema_version_id,
            state=State.INCORPORATED if number % 4 == _CLOSED else State.SUBMITTED_FOR_REVIEW,
            submitted_at=now - timedelta(hours=number),
            submissions=1 + (number % 10 == 0),
        )
        for number in numbers
    ]
    Application.objects.bulk_create(applications)
    pairs = list(zip(numbers, applications, strict=True))
    Case.objects.bulk_create(_case(number, one) for number, one in pairs)
    CaseWord.objects.bulk_create(
        CaseWord(case_id=one.pk, word=word)
        for number, one in pairs
        for word in search_words([_names(number), one.reference, model.owner.get_full_name()])
    )


def _case(number: int, one: Application) -> Case:
    is_open, at = number % 4 != _CLOSED, one.submitted_at
    return Case(
        application=one,
        title=f"Company {number} Holdings Limited",
        place=f"Place {number % _JURISDICTIONS}",
        product=f"product-{number % _PRODUCTS}",
        state=one.state,
        submitted_at=at,
        open_since=at if is_open else None,
        overdue_at=at + timedelta(days=7) if is_open else None,
        closed_since=None if is_open else at,
        waiting_since=at if is_open else None,
        answered_since=at if is_open and one.submissions > 1 else None,
        confirm_since=at if is_open and number % 8 == 0 else None,
        proposed_by=one.owner if is_open and number % 8 == 0 else None,
    )


def _names(number: int) -> str:
    """The same for as many of the first as of all where the word is a rare one."""
    rare = "Solveig" if number < FEW and number % 25 == 0 else "Nils"
    return f"Company{number:06} Holdings Limited Given{number % 8} Family{number // 8 % 5} {rare}"


_AT_MOST, _QUESTIONS, _DAYS = 5_000, 20, 364
_MOVES = (
    State.SUBMITTED_FOR_REVIEW,
    State.IN_REVIEW,
    State.RETURNED_FOR_CHANGES,
    State.SUBMITTED_FOR_REVIEW,
    State.IN_REVIEW,
    State.SUBMITTED_TO_CSP,
    State.INCORPORATED,
)


def fill_history(count: int) -> None:
    """Give so many applications, 5,000 at most, a history. Each has come to another state of the same course."""
    Change.objects.exclude(moved_to="").delete()
    Query.objects.all().delete()
    changes, queries = [], []
    newest = Application.objects.filter(deleted_at=None).exclude(submitted_at=None).order_by("-pk")
    for number, application in enumerate(newest[: min(count, _AT_MOST)]):
        at = timezone.now() - timedelta(days=number * 37 % _DAYS, hours=number % 24)
        for step, state in enumerate(_MOVES[: 1 + number % len(_MOVES)]):
            changes.append((Change(application=application, what=state.value, moved_to=state), at))
            if state is State.RETURNED_FOR_CHANGES:
                queries += [_query(application, number, number * (place + 3), at) for place in range(2)]
            at = min(at + timedelta(minutes=1 + number * (step + 7) % 20_000), timezone.now())
    Change.objects.bulk_create(change for change, _ in changes)
    with connection.cursor() as cursor:
        # `at` is the time of saving.
        times = [(at, change.pk) for change, at in changes]
        cursor.executemany(f"UPDATE {Change._meta.db_table} SET at = %s WHERE id = %s", times)
    Query.objects.bulk_create(queries)


def _query(application: Any, number: int, place: int, at: datetime) -> Query:
    name = f"q{place % _QUESTIONS}"
    reason = QueryReason.values[number % len(QueryReason.values)]
    asked = {"kind": "field", "holder": "section", "name": name, "label": f"Question {name}", "reason": reason}
    return Query(application=application, version=1, at=at, round=1, sent_at=at, settled_at=at, **asked)
