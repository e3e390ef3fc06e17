"""A new key for personal data: everything is encrypted anew, nothing is lost, and searches go on."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.core.management import call_command
from django.core.management.base import CommandError, OutputWrapper
from django.db import connection

from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Party
from formation_portal.core import encryption, key_rotation
from formation_portal.core.encrypted_fields import Stored
from formation_portal.core.monitoring.checks import Verdict
from formation_portal.core.monitoring.health import check_encryption
from formation_portal.core.nodes.startup import open_secrets
from tests.desk.factories import references

pytestmark = pytest.mark.django_db(databases=["default", "service"])


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


def test_everything_is_encrypted_anew_and_read_as_before(submitted: Draft, as_agent: Any) -> None:
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


def test_searches_find_under_both_keys_meanwhile(submitted: Draft, as_agent: Any) -> None:
    key_rotation.add_key()
    assert references(as_agent, "?q=larkfield") == [submitted.application.reference]


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


def test_an_earlier_key_is_dropped_once_nothing_needs_it(submitted: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    key_rotation.add_key()
    with pytest.raises(CommandError, match="rotate_keys --again"):
        rotate("--drop")
    rotate("--again")
    with pytest.raises(CommandError, match="Wait 60 seconds"):
        rotate("--drop")
    monkeypatch.setattr(key_rotation, "READ_AGAIN_SECONDS", -1.0)
    assert "Dropped 1 earlier keys." in rotate("--drop")
    assert len(encryption.key_ring().by_id) == 1
    again = open_draft(Application.objects.get(pk=submitted.application.pk))
    assert again.parties


def test_keys_of_the_settings_are_the_operators(settings: Any) -> None:
    settings.FIELD_KEYS = [encryption.new_key()]
    with pytest.raises(CommandError, match="FIELD_KEYS is set"):
        rotate()
    with pytest.raises(CommandError, match="FIELD_KEYS is set"):
        rotate("--drop")


def test_what_nobody_can_read_is_counted_and_ends_with_an_error(submitted: Draft) -> None:
    row = Party.objects.filter(application=submitted.application)[0]
    Party.objects.filter(pk=row.pk).update(raw=Stored("00000000:AAAA"))
    with pytest.raises(CommandError, match="1 values or files"):
        rotate()


def test_a_file_from_before_is_encrypted(submitted: Draft) -> None:
    document = submitted.documents[0]
    path = Path(document.file.path)
    with document.file.open() as file:
        content = file.read()
    path.write_bytes(content)
    rotate("--again")
    assert content not in path.read_bytes()
    with document.file.open() as file:
        assert file.read() == content


def test_a_start_without_the_key_ends_with_one_line(submitted: Draft) -> None:
    key_rotation.check_keys()
    Path(project.DATA_DIR, "field-keys").write_text(encryption.new_key())
    encryption.read_ring_again()
    with pytest.raises(CommandError, match="FIELD_KEYS: none of them opens what is stored"):
        open_secrets(OutputWrapper(StringIO()))


def test_the_doctor_says_how_it_stands(submitted: Draft) -> None:
    assert [one.verdict for one in check_encryption()] == [Verdict.OK]
    key_rotation.add_key()
    [result] = check_encryption()
    assert (result.verdict, result.remedy) == (Verdict.LOOK, "Run manage.py rotate_keys --again.")
    rotate("--again")
    [result] = check_encryption()
    assert result.remedy == "Run manage.py rotate_keys --drop."
