"""A new key for personal data: everything is encrypted anew, nothing is lost, and searches go on."""

from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as project
from django.core.management import call_command
from django.core.management.base import CommandError, OutputWrapper
from django.db import connection, connections

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Party
from formation_portal.core import encryption, key_rotation
from formation_portal.core.encrypted_fields import Stored, encrypted_fields
from formation_portal.core.encryption import key_ring
from formation_portal.core.monitoring.checks import Verdict
from formation_portal.core.monitoring.health import check_encryption
from formation_portal.core.nodes.startup import open_secrets
from tests import factories
from tests.desk.factories import references


@pytest.fixture(autouse=True)
def keys_in_a_file(settings: Any, tmp_path: Path) -> Any:
    """As on a fresh machine: no key in the settings, and no file of anybody else."""
    settings.MEDIA_ROOT, settings.SERVICE_DOCUMENTS = tmp_path / "documents", tmp_path / "service-documents"
    file = Path(settings.DATA_DIR, "field-keys")
    file.write_text(settings.FIELD_KEYS[0])
    settings.FIELD_KEYS = []
    encryption.read_ring_again()
    yield
    file.unlink()
    encryption._ring = None


def rotate(*options: str) -> str:
    said = StringIO()
    call_command("rotate_keys", *options, stdout=said)
    return said.getvalue()


def key_ids() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT raw FROM applications_party UNION SELECT what FROM applications_change")
        return {str(said).partition(":")[0] for (said,) in cursor.fetchall()}


def test_everything_is_encrypted_anew_and_what_nobody_can_read_is_named(submitted: Draft, as_agent: Any) -> None:
    answers = {party.token: party.raw for party in submitted.parties}
    with submitted.documents[0].file.open() as file:
        content = file.read()
    old = key_ids()
    said = rotate()
    assert "Everything is encrypted by the newest key." in said
    assert "applications.Party.raw: " in said
    assert key_ids() == {encryption.key_ring().first.id} != old
    again = open_draft(Application.objects.get(pk=submitted.application.pk))
    assert {party.token: party.raw for party in again.parties} == answers
    with again.documents[0].file.open() as file:
        assert file.read() == content
    assert references(as_agent, "?q=larkfield") == [submitted.application.reference]
    assert list(key_rotation.outdated()) == []
    document = submitted.documents[0]
    path = Path(document.file.path)
    with document.file.open() as file:
        content = file.read()
    path.write_bytes(content)
    rotate("--again")
    assert content not in path.read_bytes()
    with document.file.open() as file:
        assert file.read() == content
    row = Party.objects.filter(application=submitted.application)[0]
    Party.objects.filter(pk=row.pk).update(raw=Stored("00000000:AAAA"))
    with pytest.raises(CommandError, match="1 values or files"):
        rotate()


def test_what_is_saved_meanwhile_stays(submitted: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Party.objects.filter(application=submitted.application)[0]
    encrypt = key_rotation.encrypt

    def saved_by_somebody(content: bytes, context: str) -> str:
        if "raw" in context and str(row.token) in context:
            Party.objects.get(pk=row.pk)
            changed = Party.objects.get(pk=row.pk)
            changed.raw = {"person.last_name": "Saved meanwhile"}
            changed.save(update_fields=["raw"])
        return encrypt(content, context)

    monkeypatch.setattr(key_rotation, "encrypt", saved_by_somebody)
    rotate()
    assert Party.objects.get(pk=row.pk).raw == {"person.last_name": "Saved meanwhile"}


def test_an_earlier_key_is_dropped_when_unused(
    submitted: Draft, as_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [one.verdict for one in check_encryption()] == [Verdict.OK]
    key_rotation.add_key()
    assert references(as_agent, "?q=larkfield") == [submitted.application.reference], "it is found under both keys"
    [result] = check_encryption()
    assert (result.verdict, result.remedy) == (Verdict.LOOK, "Run manage.py rotate_keys --again.")
    with pytest.raises(CommandError, match="rotate_keys --again"):
        rotate("--drop")
    rotate("--again")
    [result] = check_encryption()
    assert result.remedy == "Run manage.py rotate_keys --drop."
    with pytest.raises(CommandError, match="Wait 60 seconds"):
        rotate("--drop")
    monkeypatch.setattr(key_rotation, "READ_AGAIN_SECONDS", -1.0)
    assert "Dropped 1 earlier keys." in rotate("--drop")
    assert len(encryption.key_ring().by_id) == 1
    assert open_draft(Application.objects.get(pk=submitted.application.pk)).parties


def test_keys_of_the_settings_are_the_operators(settings: Any) -> None:
    settings.FIELD_KEYS = [encryption.new_key()]
    with pytest.raises(CommandError, match="FIELD_KEYS is set"):
        rotate()
    with pytest.raises(CommandError, match="FIELD_KEYS is set"):
        rotate("--drop")


def test_a_start_without_the_key_ends_with_one_line(submitted: Draft) -> None:
    key_rotation.check_keys()
    Path(project.DATA_DIR, "field-keys").write_text(encryption.new_key())
    encryption.read_ring_again()
    with pytest.raises(CommandError, match="FIELD_KEYS: none of them opens what is stored"):
        open_secrets(OutputWrapper(StringIO()))


PEOPLE, ROTATIONS, AT_LEAST = 4, 2, 5


def save_and_read(application: Application, owner: Any, has_ended: Event) -> tuple[str, int]:
    """Change one answer again and again, until the keys are rotated, each time from what is stored; and upload once in
    a while. The last answer, and how many there were."""
    name, count = "", 0
    try:
        while count < AT_LEAST or not has_ended.is_set():
            draft = open_draft(Application.objects.get(pk=application.pk))
            assert count == 0 or draft.entity_raw["entity.name"] == name
            name, count = f"Kestrel {application.pk} {count}", count + 1
            answers = factories.COMPANY | {"entity.name": name}
            factories.save_section(draft, "the-company", answers, by=owner)
            if count % 4 == 0:
                upload = factories.upload(factories.PDF + f"\n%{count}\n".encode(), f"plan-{count}.pdf")
                services.add_document(draft, None, "Business plan", upload, by=owner)
    finally:
        connections.close_all()
    return name, count


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_nothing_is_lost_while_people_save_and_everything_can_be_read(owner: Any, settings: Any) -> None:
    # On a slow machine they upload for long.
    settings.UPLOADS_PER_HOUR = 100_000
    drafts = [factories.complete_draft(owner) for _ in range(PEOPLE)]
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


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
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
