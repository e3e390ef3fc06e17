"""Counts each move in the transaction that makes it."""

from typing import Any

from django.apps import apps
from django.dispatch import receiver

from formation_portal.applications.drafts import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.signals import moved
from formation_portal.contract.lifecycle import FINAL, State

from .cells import add
from .models import CaseClock, Form
from .moves import moved_to


@receiver(moved)
def count_move(draft: Draft, **_: Any) -> None:
    """At most six queries for a move, and some ten more for one that closes the case. A deleted draft was no case."""
    application = draft.application
    if application.submitted_at is None or application.deleted_at is not None:
        return
    change = next(one for one in reversed(draft.written) if one.moved_to)
    clock = CaseClock.objects.filter(pk=application.pk).first() or CaseClock(application=application)
    more = moved_to(State(change.moved_to), change.at, clock=clock, form=application.product_id)
    clock.save()
    if application.stands in FINAL:
        keep_form(application)
    add(more, apps)


def keep_form(application: Application) -> None:
    """What the product is called by now. Written only where that is new, so that nobody waits for it."""
    form = Form(product_id=application.product_id, name=application.product_name, place=application.jurisdiction_name)
    if not Form.objects.filter(product_id=form.product_id, name=form.name, place=form.place).exists():
        names = ["name", "place"]
        Form.objects.bulk_create([form], update_conflicts=True, update_fields=names, unique_fields=["product_id"])
