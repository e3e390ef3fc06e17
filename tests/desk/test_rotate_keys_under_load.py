"""Keys are rotated while people save, upload and read: nothing is lost, all of it opens, nobody meets an error."""

from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from threading import Event
from typing import Any

import pytest
from django.apps import apps
from django.core.management.base import OutputWrapper
from django.db import connections

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.core import key_rotation
from formation_portal.core.encrypted_fields import encrypted_fields
from formation_portal.core.encryption import key_ring
from tests import factories
from tests.desk.test_rotate_keys import keys_in_a_file

__all__ = ["keys_in_a_file"]
pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)

PEOPLE, ROTATIONS, AT_LEAST = 4, 2, 5


def save_and_read(application: Application, owner: Any, has_ended: Event) -> tuple[str, int]:
    """Change one answer again and again, until the keys are rotated, each time from what is stored; and upload once in
    a while. The last answer, and how many there were."""
    name, count = "", 0
    try:
        while count < AT_LEAST or not has_ended.is_set():
            draft = open_draft(Application.objects.get(pk=application.pk))
            section = draft.schema.section("the-company")
            assert section is not None
            assert count == 0 or draft.entity_raw["entity.name"] == name
            name, count = f"Kestrel {application.pk} {count}", count + 1
            answers = factories.COMPANY | {"entity.name": name}
            services.save_section(draft, section, answers, version=draft.version(section.key), by=owner)
            if count % 4 == 0:
                upload = factories.upload(factories.PDF + f"\n%{count}\n".encode(), f"plan-{count}.pdf")
                services.add_document(draft, None, "Business plan", upload, by=owner)
    finally:
        connections.close_all()
    return name, count


def test_nothing_is_lost_and_everything_can_be_read(owner: Any, settings: Any) -> None:
    # On a slow machine they upload for long.
    settings.UPLOADS_PER_HOUR = 100_000
    drafts: list[Draft] = []
    for _ in range(PEOPLE):
        draft = factories.complete_draft(owner)
        drafts.append(draft)
    has_ended = Event()
    with ThreadPoolExecutor(PEOPLE) as people:
        saved = [people.submit(save_and_read, draft.application, owner, has_ended) for draft in drafts]
        try:
            for _ in range(ROTATIONS):
                key_rotation.add_key()
                assert key_rotation.reencrypt_all(OutputWrapper(StringIO())) == 0
        finally:
            has_ended.set()
        last = [one.result() for one in saved]
    assert key_rotation.reencrypt_all(OutputWrapper(StringIO())) == 0
    assert list(key_rotation.outdated()) == []
    assert len(key_ring().by_id) == 1 + ROTATIONS
    for draft, (name, count) in zip(drafts, last, strict=True):
        assert count >= AT_LEAST
        again = open_draft(Application.objects.get(pk=draft.application.pk))
        assert again.entity_raw["entity.name"] == name
        for document in again.application.documents.all():
            with document.file.open() as file:
                assert file.read().startswith(b"%PDF")
    # Every value of every row opens.
    for model in apps.get_models():
        for row in model._base_manager.all():
            for field in encrypted_fields(model):
                getattr(row, field.name)


def test_others_write_between_two_values(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite refuses to write for whoever is still reading what somebody else has changed meanwhile."""
    factories.complete_draft(owner)
    monkeypatch.setattr(key_rotation, "_BATCH_SIZE", 1)
    encrypt = key_rotation.encrypt

    def write() -> None:
        try:
            type(owner).objects.filter(pk=owner.pk).update(last_name="Changed meanwhile")
        finally:
            connections.close_all()

    def encrypt_after_a_write(content: bytes, context: str) -> str:
        with ThreadPoolExecutor(1) as somebody:
            somebody.submit(write).result()
        return encrypt(content, context)

    monkeypatch.setattr(key_rotation, "encrypt", encrypt_after_a_write)
    key_rotation.add_key()
    assert key_rotation.reencrypt_all(OutputWrapper(StringIO())) == 0
    assert list(key_rotation.outdated()) == []
