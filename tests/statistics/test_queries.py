"""Which questions cause returns, and why: counted in the form's own words, each return once for each."""

from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.services.erasure import erase_application, erase_party
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.models import Query
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import current_version
from formation_portal.statistics.figures import Table
from formation_portal.statistics.models import ErasedFigures
from tests import factories
from tests.reviews.deciding import decide
from tests.statistics.random_histories import Clock, begin, do
from tests.statistics.recount import counted, fresh_totals
from tests.statistics.test_counting import REVIEWED

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SECTION, PARTY = Target(TargetKind.SECTION, "the-company"), Target(TargetKind.PARTY, "ada")
BIRTH, PASSPORT = Target.of_field("ada", "person.date_of_birth"), Target.of_document("ada", "Passport")
FIRST_NAME = Target.of_field("ada", "person.first_name")
OTHERS_BIRTH = Target.of_field("grace", "person.date_of_birth")


@pytest.fixture
def submitted(owner: Any) -> Draft:
    """With two people, of whom the same is asked."""
    draft = factories.complete_draft(owner)
    grace = factories.ADA | {"person.first_name": "Grace", "person.email": "g@example.com"}
    services.add_party(draft, "person", ["shareholder"], grace, by=owner, token="grace")
    services.save_holdings(draft, {("grace", "ordinary"): "1"}, by=owner)
    services.submit(draft, by=owner)
    return draft


def send_back(draft: Draft, agent: Any, *asked: tuple[Target, str]) -> None:
    for target, reason in asked:
        draft_query(
            draft, target, text="Mend it, Ada", reason=reason, by=agent, version=current_version(draft.application)
        )
    decide(draft, RETURN, text="Please mend it", by=agent, version=current_version(draft.application))


def by_question(period: int = 0) -> dict[tuple[str, str], tuple[int, ...]]:
    return {
        (kind, label): tuple(counts) for (_, _, kind, label), *counts in fresh_totals(period).returns(Table.QUESTIONS)
    }


def by_reason(period: int = 0) -> dict[str, tuple[int, ...]]:
    return {code: tuple(counts) for (code,), *counts in fresh_totals(period).returns(Table.REASONS)}


@pytest.mark.parametrize("period", [0, 2])
def test_each_sent_query_counts_and_each_return_once_and_nobody_is_named(
    period: int, submitted: Draft, owner: Any, agent: Any
) -> None:
    asked = (BIRTH, "differs"), (OTHERS_BIRTH, "differs"), (PASSPORT, "unreadable"), (SECTION, "other")
    send_back(submitted, agent, *asked)
    services.submit(submitted, by=owner)
    send_back(submitted, agent, (BIRTH, "missing"), (WHOLE_APPLICATION, "other"), (PARTY, "other"))
    services.submit(submitted, by=owner)
    draft_query(submitted, BIRTH, text="Not sent yet", by=agent, version=current_version(submitted.application))
    assert by_question(period) == {
        ("field", "Date of birth"): (2, 3),
        ("document", "Passport"): (1, 1),
        ("section", "The company"): (1, 1),
        ("application", "Whole application"): (1, 1),
        ("party", "Person or company and roles"): (1, 1),
    }
    assert by_reason(period) == {"differs": (1, 2), "unreadable": (1, 1), "missing": (1, 1), "other": (2, 3)}
    words = str(fresh_totals().cells).replace("'", " ").split()
    assert [name for name in ("Ada", "Lovelace", "Grace", "Larkfield", "Ingrid", "ada") if name in words] == []


@pytest.mark.parametrize(
    ("first", "second", "questions"),
    [
        (SECTION, Target(TargetKind.SECTION, "funds"), [("section", "Funds", 1), ("section", "The company", 1)]),
        (BIRTH, FIRST_NAME, [("field", "Date of birth", 1), ("field", "First name", 1)]),
        (BIRTH, OTHERS_BIRTH, [("field", "Date of birth", 2)]),
        (PARTY, Target(TargetKind.PARTY, "grace"), [("party", "Person or company and roles", 2)]),
        (PASSPORT, SECTION, [("document", "Passport", 1), ("section", "The company", 1)]),
    ],
    ids=["two sections", "two answers", "an answer of two people", "two people", "a document and a section"],
)
def test_a_question_is_one_of_the_form_whoever_answers_it(
    submitted: Draft, agent: Any, first: Target, second: Target, questions: list[tuple[str, str, int]]
) -> None:
    send_back(submitted, agent, (first, "differs"), (second, "differs"))
    rows = fresh_totals().returns(Table.QUESTIONS)
    assert sorted((kind, label, queries) for (_, _, kind, label), _, queries in rows) == questions


def test_the_same_question_of_another_form_is_another(submitted: Draft, owner: Any, agent: Any) -> None:
    send_back(submitted, agent, (SECTION, "other"))
    draft = factories.new_draft(owner, jurisdiction_product_id="another")
    factories.fill_in(draft, owner)
    services.submit(draft, by=owner)
    send_back(draft, agent, (SECTION, "other"))
    rows = fresh_totals().returns(Table.QUESTIONS)
    assert [(key[-1], returns) for key, returns, _ in rows] == [("The company", 1)] * 2


__all__ = ["submitted"]


def erase(application: Application) -> None:
    erase_application(Application.objects.get(pk=application.pk), by=None, reason="retention")


def test_an_erased_case_counts_as_before(owner: Any, clock: Clock) -> None:
    case, other = begin(owner, product="first"), begin(owner, product="second")
    for hours, transition in enumerate(REVIEWED):
        clock.move(hours=hours)
        do(case, transition, by=owner)
    do(other, "submit", by=owner)
    before = counted("week"), counted("month")
    assert before[0]["closings"]["first",]["seconds_with_us"] == 3600 * (1 + 2 + 4 + 5)
    erase(case)
    assert not case.changes.exists()
    assert (counted("week"), counted("month")) == before
    assert ErasedFigures.objects.get().last_day == clock.now().date()


def test_only_the_queries_of_the_erased_case_are_kept(submitted: Draft, owner: Any, agent: Any) -> None:
    other = factories.submitted_draft(owner)
    version = current_version(other.application)
    draft_query(other, Target(TargetKind.SECTION, "funds"), text="Explain", reason="unclear", by=agent, version=version)
    Query.objects.filter(application=other.application).update(sent_at=timezone.now())
    send_back(submitted, agent, (BIRTH, "differs"))
    services.withdraw(open_draft(submitted.application), by=owner)
    before = by_question(), by_reason()
    assert before[1] == {"differs": (1, 1), "unclear": (1, 1)}
    erase(submitted.application)
    assert (by_question(), by_reason()) == before


def test_the_queries_of_an_erased_person_count_as_before(submitted: Draft, owner: Any, agent: Any) -> None:
    send_back(submitted, agent, (BIRTH, "differs"), (OTHERS_BIRTH, "missing"), (PASSPORT, "differs"), (PARTY, "other"))
    services.submit(submitted, by=owner)
    send_back(submitted, agent, (BIRTH, "differs"), (SECTION, "differs"))
    before = by_question(), by_reason()
    assert before[0]["field", "Date of birth"] == (2, 3)
    for token in ("ada", "grace"):
        erase_party(Application.objects.get(pk=submitted.application.pk), token, by=owner)
        assert not Query.objects.filter(holder=token).exists()
        assert (by_question(), by_reason()) == before
    services.withdraw(open_draft(submitted.application), by=owner)
    erase(submitted.application)
    assert (by_question(), by_reason()) == before
    assert ErasedFigures.objects.count() == 1


def test_a_query_that_is_not_sent_yet_leaves_no_figures(submitted: Draft, owner: Any, agent: Any) -> None:
    send_back(submitted, agent, (BIRTH, "differs"))
    services.submit(submitted, by=owner)
    version = current_version(submitted.application)
    draft_query(submitted, PASSPORT, text="Mend it, Ada", reason="unreadable", by=agent, version=version)
    erase_party(Application.objects.get(pk=submitted.application.pk), "ada", by=owner)
    assert (by_question(), by_reason()) == ({("field", "Date of birth"): (1, 1)}, {"differs": (1, 1)})


def test_a_draft_leaves_no_figures(owner: Any) -> None:
    withdrawn, unfinished = begin(owner), begin(owner)
    services.withdraw(open_draft(withdrawn), by=owner)
    erase(unfinished)
    assert not ErasedFigures.objects.exists()
    assert counted() == {}
