"""Which questions cause returns, and why: counted in the form's own words, each return once for each."""

import importlib
from typing import Any

import pytest
from django.apps import apps

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import current_version
from formation_portal.statistics import models
from formation_portal.statistics.models import Question, QuestionTotal, ReasonTotal
from tests import factories
from tests.reviews.deciding import decide

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SECTION, PARTY = Target(TargetKind.SECTION, "the-company"), Target(TargetKind.PARTY, "ada")
BIRTH, PASSPORT = Target.of_field("ada", "person.date_of_birth"), Target.of_document("ada", "Passport")
OTHERS_BIRTH = Target.of_field("grace", "person.date_of_birth")


@pytest.fixture
def submitted(owner: Any) -> Draft:
    """With two people, of whom the same is asked."""
    draft = factories.complete_draft(owner)
    grace = factories.ADA | {
        "person.first_name": "Grace",
        "person.last_name": "Hopper",
        "person.email": "g@example.com",
    }
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


def send_back_twice(draft: Draft, owner: Any, agent: Any) -> None:
    send_back(draft, agent, (BIRTH, "differs"), (OTHERS_BIRTH, "differs"), (PASSPORT, "unreadable"), (SECTION, "other"))
    services.submit(draft, by=owner)
    send_back(draft, agent, (BIRTH, "missing"), (WHOLE_APPLICATION, "other"), (PARTY, "other"))


def by_question(span: str) -> dict[tuple[str, str], tuple[int, int]]:
    totals = QuestionTotal.objects.filter(span=span).select_related("question")
    return {(one.question.kind, one.question.words): (one.returns, one.remarks) for one in totals}


def by_reason(span: str) -> dict[str, tuple[int, int]]:
    return {one.reason: (one.returns, one.remarks) for one in ReasonTotal.objects.filter(span=span)}


EXPECTED_QUESTIONS = {
    ("field", "Date of birth"): (2, 3),
    ("document", "Passport"): (1, 1),
    ("section", "The company"): (1, 1),
    ("application", "Whole application"): (1, 1),
    ("party", "Person or company and roles"): (1, 1),
}
EXPECTED_REASONS = {"differs": (1, 2), "unreadable": (1, 1), "missing": (1, 1), "other": (2, 3)}


@pytest.mark.parametrize("span", ["week", "month"])
def test_each_query_counts_and_each_return_once(span: str, submitted: Draft, owner: Any, agent: Any) -> None:
    send_back_twice(submitted, owner, agent)
    assert by_question(span) == EXPECTED_QUESTIONS
    assert by_reason(span) == EXPECTED_REASONS


def test_no_customers_word_and_no_name_is_kept(submitted: Draft, owner: Any, agent: Any) -> None:
    send_back_twice(submitted, owner, agent)
    kept = " ".join(f"{one.words} {one.digest} {one.form.name} {one.form.place}" for one in Question.objects.all())
    assert not [word for word in ("Ada", "Lovelace", "Grace", "Larkfield", "Ingrid", "ada") if word in kept.split()]


def test_the_same_question_of_another_form_is_another(submitted: Draft, owner: Any, agent: Any) -> None:
    send_back(submitted, agent, (SECTION, "other"))
    draft = factories.new_draft(owner, jurisdiction_product_id="another")
    factories.fill_in(draft, owner)
    services.submit(draft, by=owner)
    send_back(draft, agent, (SECTION, "other"))
    assert sorted(Question.objects.values_list("form", flat=True)) == sorted(
        ["another", submitted.application.product_id]
    )


def test_what_was_dropped_or_not_sent_yet_is_not_counted(submitted: Draft, agent: Any) -> None:
    draft_query(submitted, BIRTH, text="Mend it", by=agent, version=current_version(submitted.application))
    assert not QuestionTotal.objects.exists()


def test_a_return_without_queries_counts_no_question(submitted: Draft, agent: Any) -> None:
    send_back(submitted, agent)
    assert not QuestionTotal.objects.exists()
    assert models.TransitionTotal.objects.get(span="week").returned == 1


def test_what_was_queried_before_is_counted_once(submitted: Draft, owner: Any, agent: Any) -> None:
    send_back_twice(submitted, owner, agent)
    for name in ("CaseClock", "OpenDay", "TransitionTotal", "ReasonTotal", "QuestionTotal", "Question", "Form"):
        getattr(models, name).objects.all().delete()
    migration = importlib.import_module("formation_portal.statistics.migrations.0002_what_had_happened")
    migration.count_what_had_happened(apps, None)
    assert (by_question("week"), by_reason("month")) == (EXPECTED_QUESTIONS, EXPECTED_REASONS)
