"""The embedded service deletes what is closed for long enough, with all that it kept of it, and nothing else."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.relay.worker import drain
from formation_portal.service.models import Document, Entity, KeptAnswer, Party
from formation_portal.service.retention import delete_expired_data
from tests.privacy.stages import started
from tests.relay.conftest import _files_go_nowhere_else, transport

__all__ = ["_files_go_nowhere_else", "transport"]
pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("transport")]


def entity(owner: Any, state: State, **age: float) -> Entity:
    """One with a party and a file, in a state since so long."""
    application = started(owner).application
    drain()
    found = Entity.objects.get(client_reference=Application.objects.get(pk=application.pk).reference)
    Entity.objects.filter(pk=found.pk).update(status=state, updated_at=timezone.now() - timedelta(**age))
    return found


def files() -> int:
    return sum(path.is_file() for path in Path(configured.SERVICE_DOCUMENTS).rglob("*"))


def test_what_is_closed_for_long_enough_goes_with_all_of_it(
    owner: Any, django_capture_on_commit_callbacks: Any
) -> None:
    old, young = entity(owner, State.REJECTED, days=1827), entity(owner, State.REJECTED, days=1825)
    with django_capture_on_commit_callbacks(using="service", execute=True):
        delete_expired_data()
    assert list(Entity.objects.all()) == [young]
    assert {one.entity_id for one in (*Party.objects.all(), *Document.objects.all())} == {young.id}
    assert files() == 1
    kept = b"".join(bytes(one.body) for one in KeptAnswer.objects.filter(about=old.id))
    assert kept
    assert b"Lovelace" not in kept
    delete_expired_data()
    assert list(Entity.objects.all()) == [young]


@pytest.mark.parametrize(
    ("state", "days"),
    [(State.DRAFT, 1826), (State.IN_REVIEW, 1826), (State.SUBMITTED_TO_CSP, 1826), (State.WITHDRAWN, 0)],
)
def test_what_is_not_closed_or_kept_by_the_setting_stays_and_old_answers_go(
    owner: Any, settings: Any, state: State, days: int
) -> None:
    settings.SERVICE_RETENTION_DAYS = days
    entity(owner, state, days=40_000)
    KeptAnswer.objects.update(started_at=timezone.now() - timedelta(days=8))
    delete_expired_data()
    assert Entity.objects.count() == 1
    assert not KeptAnswer.objects.exists()
