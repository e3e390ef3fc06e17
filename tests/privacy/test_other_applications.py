"""What is erased of one application takes nothing of another, though the two say the same of the same people."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db.models import ForeignKey, Model
from django.test import Client
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.applications.services.erasure import erase_application, remove_copies
from formation_portal.privacy.persons import erase_person
from formation_portal.relay.worker import drain
from formation_portal.reviews.models import ServiceStatus
from tests.privacy.stages import again, files
from tests.privacy.test_persons import returned_with_grace

pytestmark = pytest.mark.django_db(databases=["default", "service"])


REVIEWED = ("Accepted", "Check", "Note", "Query", "Review", "ReviewDecision", "ScreeningCheck", "ServiceStatus")


def ways(model: type[Model], depth: int = 2) -> Iterator[str]:
    """The lookups that lead from a row to its application."""
    for field in model._meta.get_fields():
        if isinstance(field, ForeignKey) and field.related_model is Application:
            yield field.name
        elif isinstance(field, ForeignKey) and depth and isinstance(field.related_model, type):
            yield from (f"{field.name}__{way}" for way in ways(field.related_model, depth - 1))


def rows(application: Application) -> dict[str, list[str]]:
    """Everything that the databases hold of an application, opened, by model."""
    kept: dict[str, list[str]] = {}
    for model in apps.get_models():
        for way in ways(model):
            found = model._base_manager.filter(**{way: application.pk}).distinct()
            columns = [field.attname for field in model._meta.concrete_fields]
            kept[f"{model._meta.label} {way}"] = sorted(str([getattr(row, name) for name in columns]) for row in found)
    return kept


def files_of(application: Application) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in files() if application.reference in path.parts}


@pytest.mark.parametrize(
    "erase",
    [
        lambda application: erase_application(application, by=None, reason="retention"),
        lambda application: erase_person(application, "second", by=None),
        lambda application: remove_copies(application, application.documents.all()),
    ],
    ids=["an application", "a person", "copies"],
)
def test_another_application_is_left_as_it_is(
    erase: Callable[[Application], object],
    owner: Any,
    other_customer: Any,
    agent: Any,
    as_agent: Client,
    django_capture_on_commit_callbacks: Any,
) -> None:
    other, application = returned_with_grace(other_customer, agent), returned_with_grace(owner, agent)
    for one in (other, application):
        as_agent.get(f"/desk/{one.reference}/parties/second/?open=1")
        ServiceStatus.objects.create(
            application=one, status="struck_off", version=9, at=timezone.now(), received_at=timezone.now(),
            outcome="open",
        )  # fmt: skip
    before, stored, own = rows(other), files_of(other), files_of(application)
    assert len(stored) == len(own) == 3
    assert {name for name in REVIEWED if not before[f"reviews.{name} application"]} == set()
    with django_capture_on_commit_callbacks(execute=True):
        erase(again(application))
    drain()
    assert rows(other) == before
    assert files_of(other) == stored
    assert len(files_of(application)) < len(own)
