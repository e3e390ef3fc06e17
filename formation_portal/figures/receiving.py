"""Counts each move, and what a return asks for, in the transaction that does it."""

from django.apps import apps

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.reviews.models import Remark

from .cells import add
from .models import CaseClock, Form, Question
from .moves import moved_to
from .remarks import digest_of, remarked, words_of
from .turns import take_turn


def count_move(draft: Draft) -> None:
    """Some seven queries for a move, and ten more for one that closes the case. A deleted draft was no case."""
    application = draft.application
    if application.submitted_at is None or application.deleted_at is not None:
        return
    take_turn()
    change = next(one for one in reversed(draft.new_changes) if one.moved_to)
    clock = CaseClock.objects.filter(pk=application.pk).first() or CaseClock(application=application)
    more = moved_to(State(change.moved_to), change.at, clock=clock, form=application.product_id)
    clock.save()
    if application.status in FINAL:
        _keep_form(application)
    add(more, apps)


def count_remarks(draft: Draft, remarks: list[Remark]) -> None:
    """The remarks of a return, by reason and by question."""
    if not remarks:
        return
    take_turn()
    application = draft.application
    _keep_form(application)
    questions = _keep_questions(remarks, application.product_id)
    add(remarked(remarks, form=application.product_id, questions=questions), apps)


def _keep_form(application: Application) -> None:
    """What the product is called by now."""
    form = Form(product_id=application.product_id, name=application.product_name, place=application.jurisdiction_name)
    names = ["name", "place"]
    Form.objects.bulk_create([form], update_conflicts=True, update_fields=names, unique_fields=["product_id"])


def _keep_questions(remarks: list[Remark], form: str) -> dict[str, int]:
    """What the questions are called by now, and their numbers by their digests."""
    found = {digest_of(one, form): Question(form_id=form, kind=one.kind, words=words_of(one)) for one in remarks}
    for digest, question in found.items():
        question.digest = digest
    Question.objects.bulk_create(
        found.values(), update_conflicts=True, update_fields=["words"], unique_fields=["digest"]
    )
    return dict(Question.objects.filter(digest__in=found).values_list("digest", "pk"))
