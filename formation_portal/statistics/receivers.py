"""Counts each transition, and the queries of a return, in the same transaction."""

from django.apps import apps

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.reviews.models import Query

from .counters import increase, lock_totals
from .increments import query_increments, question_digest, question_text, transition_increments
from .models import CaseClock, Form, Question


def count_transition(draft: Draft) -> None:
    """Some seven queries for a move, and ten more for one that closes the case. A deleted draft was no case."""
    application = draft.application
    if application.submitted_at is None or application.deleted_at is not None:
        return
    lock_totals()
    change = next(one for one in reversed(draft.new_changes) if one.moved_to)
    clock = CaseClock.objects.filter(pk=application.pk).first() or CaseClock(application=application)
    more = transition_increments(State(change.moved_to), change.at, clock=clock, form=application.product_id)
    clock.save()
    if application.status in FINAL:
        _store_form(application)
    increase(more, apps)


def count_queries(draft: Draft, queries: list[Query]) -> None:
    """The queries of a return, by reason and by question."""
    if not queries:
        return
    lock_totals()
    application = draft.application
    _store_form(application)
    questions = _store_questions(queries, application.product_id)
    increase(query_increments(queries, form=application.product_id, questions=questions), apps)


def _store_form(application: Application) -> None:
    """What the product is called by now."""
    form = Form(product_id=application.product_id, name=application.product_name, place=application.jurisdiction_name)
    names = ["name", "place"]
    Form.objects.bulk_create([form], update_conflicts=True, update_fields=names, unique_fields=["product_id"])


def _store_questions(queries: list[Query], form: str) -> dict[str, int]:
    """What the questions are called by now, and their numbers by their digests."""
    found = {
        question_digest(one, form): Question(form_id=form, kind=one.kind, words=question_text(one)) for one in queries
    }
    for digest, question in found.items():
        question.digest = digest
    Question.objects.bulk_create(
        found.values(), update_conflicts=True, update_fields=["words"], unique_fields=["digest"]
    )
    return dict(Question.objects.filter(digest__in=found).values_list("digest", "pk"))
