"""Counts what had happened before there were totals, from the history, in batches of applications."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from django.apps.registry import Apps

from formation_portal.contract.lifecycle import State

from .counting import CounterKey, create, query_increments, question_digest, question_text, transition_increments

_BATCH_SIZE = 500


def backfill(apps: Apps) -> None:
    """Fill the empty tables. Moves that the history doesn't tell are not known."""
    more, forms = Counter[CounterKey](), {}
    for some in _submitted(apps):
        forms.update({one.product_id: one.product for one in some})
        more.update(_transition_increments(apps, some))
    apps.get_model("figures", "Form").objects.bulk_create(_form(apps, *one) for one in forms.items())
    more.update(_returns(apps))
    create(more, apps)


def _submitted(apps: Apps) -> Iterator[list[Any]]:
    applications = apps.get_model("applications", "Application").objects
    submitted = applications.filter(deleted_at=None).exclude(submitted_at=None).only("product_id", "product")
    last = 0
    while found := list(submitted.filter(pk__gt=last).order_by("pk")[:_BATCH_SIZE]):
        yield found
        last = found[-1].pk


def _transition_increments(apps: Apps, applications: list[Any]) -> Counter[CounterKey]:
    clock_of, more, clocks = apps.get_model("figures", "CaseClock"), Counter[CounterKey](), []
    forms = {one.pk: one.product_id for one in applications}
    changes = apps.get_model("applications", "Change").objects.only("application_id", "moved_to", "at")
    between = changes.filter(application__gte=applications[0].pk, application__lte=applications[-1].pk)
    transitions = between.filter(moved_to__in=[state.value for state in State]).order_by("application_id", "pk")
    for pk, moves in groupby(transitions, key=lambda move: move.application_id):
        if pk in forms:
            clock = clock_of(application_id=pk)
            clocks.append(clock)
            for move in moves:
                more.update(transition_increments(State(move.moved_to), move.at, clock=clock, form=forms[pk]))
    clock_of.objects.bulk_create(clocks)
    return more


def _returns(apps: Apps) -> Counter[CounterKey]:
    """The queries of each return. The forms are there already."""
    # By its table: the model was called Remark when the migration was written.
    model = next(model for model in apps.get_models() if model._meta.db_table == "reviews_remark")
    queries: Any = model._default_manager.exclude(sent_at=None).select_related("application")
    kept, numbers, more = apps.get_model("figures", "Question").objects, dict[str, int](), Counter[CounterKey]()
    in_order = queries.order_by("application_id", "round", "pk").iterator(chunk_size=_BATCH_SIZE)
    for _, together in groupby(in_order, key=lambda one: (one.application_id, one.round)):
        returned = list(together)
        form = returned[0].application.product_id
        for one in returned:
            if (digest := question_digest(one, form)) not in numbers:
                question = kept.create(digest=digest, form_id=form, kind=one.kind, words=question_text(one))
                numbers[digest] = question.pk
        more.update(query_increments(returned, form=form, questions=numbers))
    return more


def _form(apps: Apps, product_id: str, product: Any) -> Any:
    """As an application keeps its product."""
    name, place = (product.get(part, {}).get("name", "") for part in ("product", "jurisdiction"))
    return apps.get_model("figures", "Form")(product_id=product_id, name=name, place=place)
