"""`manage.py doctor`: each of its verdicts is made wrong on purpose."""

import json
import os
import re
import smtplib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from email.utils import formatdate
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.base import OutputWrapper
from django.db import connections
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.core.monitoring import health
from formation_portal.core.monitoring.checks import Verdict
from formation_portal.core.private_files import keep_files_private
from formation_portal.gateway import catalog
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import queue_email
from formation_portal.management.commands.doctor import CHECKS
from formation_portal.relay.models import Attempt, Delivery, DeliveryState
from formation_portal.relay.service_profile import update_profile
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Account, Event, EventDelivery, Subscription
from tests import factories
from tests.mail.smtp_server import mail_server
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schemas import USABLE
from tests.scratch_postgres import KEYS

from .served import free_port, manage

__all__ = ["at_other_service", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture(autouse=True)
def _a_machine_of_its_own(settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.DATA_DIR = tmp_path
    umask = os.umask(0o022)
    keep_files_private(OutputWrapper(StringIO()))
    store_catalog([factories.ITEM])
    catalog.forget()
    portal_key()
    yield
    catalog.forget()
    os.umask(umask)


def diagnose(check: str) -> dict[str, list[tuple[str, str, str]]]:
    """Run one of the checks. Return verdict, finding and remedy of each result, by what it is about."""
    results: dict[str, list[tuple[str, str, str]]] = {}
    for result in dict(CHECKS)[check]():
        assert result.remedy or result.verdict is Verdict.OK
        results.setdefault(result.check, []).append((result.verdict, result.finding, result.remedy))
    return results


@pytest.fixture
def delivery(owner: User) -> Delivery:
    application = services.start(owner=owner, product=factories.product())
    Delivery.objects.all().delete()
    return Delivery.objects.create(application=application, kind="entity", state=DeliveryState.WAITING, key="k")


def since(row: Email | Event, **age: float) -> None:
    type(row).objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(**age))


def test_where_all_is_well_there_is_one_line_a_check_and_no_fault(
    capsys: pytest.CaptureFixture[str], settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT, settings.SERVICE_DOCUMENTS = tmp_path / "documents", tmp_path / "service-documents"
    call_command("doctor")
    *lines, count = capsys.readouterr().out.splitlines()
    assert all(line.startswith("ok     ") for line in lines), lines
    assert count == f"{len(lines)} ok, 0 look, 0 fault"
    assert len(lines) == 23


def test_a_fault_is_printed_with_its_remedy(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    settings.DEMO = False
    with pytest.raises(SystemExit, match="1"):
        call_command("doctor")
    wanted = "fault  Mail server: none, so nobody can confirm an address or submit → Set EMAIL_URL."
    assert wanted in capsys.readouterr().out.splitlines()
    with pytest.raises(SystemExit, match="1"):
        call_command("doctor", "--json")
    report = json.loads(capsys.readouterr().out)
    assert report["count"]["fault"] == 1
    assert [row["check"] for row in report["checks"] if row["verdict"] == "fault"] == ["Mail server"]


def test_settings_that_others_must_not_meet_are_named(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert diagnose("Settings")["Settings"] == [("ok", "nothing is wrong with them", "")]
    settings.HELP_EMAIL = settings.HELP_TELEPHONE = ""
    [(verdict, _, remedy)] = diagnose("Settings")["Settings"]
    assert (verdict, remedy) == ("look", "Set HELP_EMAIL, HELP_TELEPHONE or both.")
    settings.HELP_TELEPHONE = "+44 20 7946 0123"
    settings.PORTAL_URL = "https://portal.example"
    settings.FORMATION_SERVICE_KEY = "unused"
    monkeypatch.setenv("EMAIL_URI", "smtp://mail.example")
    rows = diagnose("Settings")["Settings"]
    named = {text.partition(":")[0]: verdict for verdict, text, _ in rows}
    assert named["DEMO"] == named["SECURE_COOKIES"] == "fault"
    texts = " ".join(text for _, text, _ in rows)
    assert "gateway.W001" in texts
    assert "security.W012" in texts, "Django's own checks"
    assert "security.W008" not in texts, "what the operator's proxy decides"
    assert rows[-1] == ("look", "EMAIL_URI is no setting of the portal", "Is it EMAIL_URL that you mean?")


def test_secrets_that_others_on_the_machine_can_read(tmp_path: Path) -> None:
    assert diagnose("DATA_DIR")["DATA_DIR"] == [("ok", "is closed to others on this machine", "")]
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents").chmod(0o755)
    assert diagnose("DATA_DIR")["DATA_DIR"][0][:2] == (
        "look",
        "others on this machine can open 1 of its files and folders",
    )
    tmp_path.chmod(0o755)
    assert diagnose("DATA_DIR")["DATA_DIR"][0][:2] == ("look", "others on this machine can open the folder")
    (tmp_path / "portal-service-key").chmod(0o640)
    [(verdict, found, _)] = diagnose("DATA_DIR")["DATA_DIR"]
    assert (verdict, found) == ("fault", "others on this machine can read portal-service-key")


@pytest.mark.parametrize(("free", "verdict"), [(10**8, "fault"), (10**9, "look"), (10**11, "ok")])
def test_a_disk_that_gets_full(monkeypatch: pytest.MonkeyPatch, free: int, verdict: str) -> None:
    monkeypatch.setattr(health.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert {row[0] for row in diagnose("Disk")["Disk"]} == {verdict}


def test_a_database_without_its_migrations_or_with_another_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now
    monkeypatch.setattr(health, "timezone", SimpleNamespace(now=lambda: now() + timedelta(seconds=40)))
    with connections["service"].cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'service'")
    results = diagnose("Databases")
    [(verdict, finding, remedy)] = results["Database “service”"]
    assert (verdict, remedy) == ("fault", "Run manage.py setup_portal.")
    assert "migrations are not applied" in finding
    assert results["Database “default”"][0][0] == "ok"
    assert results["Clock of “default”"][0][:2] == ("fault", "40 s behind this machine's")


def test_databases_and_servers_that_are_away_or_damaged_and_no_password_is_printed(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.sqlite3"
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(damaged)) as connection:
        connection.execute("CREATE TABLE one (text)")
        connection.executemany("INSERT INTO one VALUES (?)", [("x" * 500,)] * 500)
        connection.execute("CREATE INDEX by_text ON one (text)")
        connection.commit()
    content = bytearray(damaged.read_bytes())
    content[40_960:45_056] = os.urandom(4096)
    damaged.write_bytes(content)
    away = f"127.0.0.1:{free_port()}"
    done = manage(
        tmp_path / "data",
        "doctor",
        LOG_LEVEL="CRITICAL",
        **KEYS,
        DATABASE_URL=f"postgres://portal:geheim-4711@{away}/portal",
        SERVICE_DATABASE_URL=f"sqlite:///{damaged}",
        EMAIL_URL=f"smtp://portal:geheim-4711@{away}",
        CACHE_URL=f"redis://:geheim-4711@{away}/0",
        STORAGE_URL=f"s3://key:geheim-4711@uploads?endpoint=http://{away}",
    )
    output = done.stdout
    assert done.returncode == 1, done.stderr
    assert "geheim" not in output + done.stderr
    assert "fault  Database “default”: does not answer (OperationalError) → Start the database" in output
    assert "fault  File of “service”: is damaged → Stop the portal, and restore" in output
    assert "fault  Deliveries: can't be checked (OperationalError) → See the results of the databases." in output
    assert "fault  Mail server: can't be reached (ConnectionRefusedError)" in output
    assert "fault  Cache: the shared cache does not answer or refuses; the database counts meanwhile" in output
    assert "fault  Storage: a file can't be kept (EndpointConnectionError) → Start the bucket's server" in output


def test_storage_that_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = default_storage.listdir("")[1]
    assert diagnose("Storage")["Storage"][0][0] == "ok"
    assert default_storage.listdir("")[1] == before

    def is_full(*_: Any, **__: Any) -> str:
        raise OSError("no room for Solheim.pdf")

    with monkeypatch.context() as patch:
        patch.setattr(default_storage, "save_stored", is_full)
        assert diagnose("Storage")["Storage"][0][:2] == ("fault", "a file can't be kept (OSError)")
    monkeypatch.setattr(health.ContentFile, "chunks", lambda self, *_: iter([b"another content"]))
    assert diagnose("Storage")["Storage"][0][:2] == ("fault", "gives back something else than was written")


def test_a_cache_that_keeps_nothing(settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    assert diagnose("Cache")["Cache"][0][0] == "fault"
    table = {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "not_there"}
    settings.CACHES = {"default": table}
    assert diagnose("Cache")["Cache"] == [
        ("fault", "does not answer (OperationalError)", "Run manage.py setup_portal.")
    ]


def test_a_mail_server_that_is_away_or_refuses_the_password(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with mail_server(settings) as server:
        assert diagnose("Mail server")["Mail server"][0] == ("ok", "takes a connection", "")
        assert not server.messages
        assert server.farewells == 1

        def refuses(*_: Any) -> None:
            raise smtplib.SMTPAuthenticationError(535, b"mira@example.com: wrong password")

        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "mira@example.com", "geheim"
        monkeypatch.setattr(smtplib.SMTP, "login", refuses)
        assert diagnose("Mail server")["Mail server"][0][:2] == ("fault", "refuses user or password")
    found = diagnose("Mail server")["Mail server"][0]
    assert found[:2] == ("fault", "can't be reached (ConnectionRefusedError)")


@pytest.mark.parametrize(("hours", "verdict"), [(0.9, "ok"), (1.1, "look"), (11.9, "look"), (12.1, "fault")])
def test_a_letter_that_waits(settings: Any, hours: float, verdict: str) -> None:
    settings.LETTERS_GO_OUT = True
    context = {"code": "204 816", "minutes": 10, "reference": "FP-1"}
    queue_email(kind="code", to="ada@example.com", language="en", context=context)
    letter = Email.objects.get()
    since(letter, hours=hours)
    [row] = diagnose("E-mails")["E-mails"]
    assert row[0] == verdict
    assert row[1].startswith("1 unsent, the oldest for ")
    assert "example.com" not in "".join(row)


def test_letters_that_nobody_sends_or_that_were_given_up(settings: Any) -> None:
    settings.LETTERS_GO_OUT = True
    letter = Email.objects.create(kind="code", language="en", next_at=timezone.now() - timedelta(minutes=6))
    assert diagnose("E-mails")["E-mails"][0][:2] == ("fault", "letters are due and nobody sends them")
    Email.objects.filter(pk=letter.pk).update(next_at=None)
    assert diagnose("E-mails")["E-mails"][0][:2] == ("look", "0 unsent; 1 given up within a week")
    Email.objects.filter(pk=letter.pk).update(sent_at=timezone.now())
    assert diagnose("E-mails")["E-mails"][0][0] == "ok"


def test_a_service_that_is_not_there_refuses_the_key_or_has_another_time(
    at_other_service: OtherService, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_other_service.catalog = list(USABLE[:1])
    results = diagnose("Formation service")
    assert results["Formation service"][0][0] == results["Service's clock"][0][0] == "ok"
    with monkeypatch.context() as patch:
        patch.setattr(
            "tests.other_service.http_server._Handler.date_time_string",
            lambda *_: formatdate(timezone.now().timestamp() - 86_400, usegmt=True),
        )
        verdict, found, _ = diagnose("Formation service")["Service's clock"][0]
        assert verdict == "fault"
        assert re.fullmatch(r"86,[45]\d\d s behind this machine's", found)
    with monkeypatch.context() as patch:
        patch.setattr("formation_portal.gateway.health._SLOW_SECONDS", 0.0)
        assert diagnose("Formation service")["Formation service"][0][0] == "look"
    at_other_service.key = "another"
    [row] = diagnose("Formation service")["Formation service"]
    assert row[0] == "fault"
    assert "FORMATION_SERVICE_KEY" in row[2]
    at_other_service.stop()
    [row] = diagnose("Formation service")["Formation service"]
    assert row[:2] == ("fault", "The formation service cannot be reached at the moment")
    assert "FORMATION_SERVICE_URL" in row[2]


def test_the_embedded_service_without_its_key(tmp_path: Path) -> None:
    (tmp_path / "portal-service-key").unlink()
    assert diagnose("Formation service")["Formation service"][0][2] == "Run manage.py setup_portal."


def test_a_catalog_with_faulty_schemas(at_other_service: OtherService) -> None:
    [row] = diagnose("Formation service")["Catalog"]
    assert row[0] == "fault"
    assert "check_catalog" in row[2]
    at_other_service.catalog = list(USABLE)
    assert diagnose("Formation service")["Catalog"][0][:2] == (
        "look",
        f"{len(USABLE)} products, 0 unavailable, 11 warnings",
    )
    at_other_service.catalog = []
    assert diagnose("Formation service")["Catalog"][0][0] == "fault"


@pytest.mark.parametrize(("hours", "verdict"), [(0.5, "ok"), (2, "look"), (25, "fault")])
def test_a_delivery_that_is_on_its_way_for_long(delivery: Delivery, hours: float, verdict: str) -> None:
    first = Attempt.objects.create(delivery=delivery, key="k")
    Attempt.objects.create(delivery=delivery, key="k")
    Attempt.objects.filter(pk=first.pk).update(started_at=timezone.now() - timedelta(hours=hours))
    earlier = Attempt.objects.create(delivery=delivery, key="of an earlier payload")
    Attempt.objects.filter(pk=earlier.pk).update(started_at=timezone.now() - timedelta(days=9))
    [row] = diagnose("Deliveries")["Deliveries"]
    assert row[0] == verdict
    assert row[1].startswith("1 waiting; the oldest on its way for ")
    Delivery.objects.update(state=DeliveryState.HELD)
    assert diagnose("Deliveries")["Deliveries"][0][:2] == ("look", "1 held")
    # Kept here until its customer submits.
    Delivery.objects.update(state=DeliveryState.QUEUED)
    assert diagnose("Deliveries")["Deliveries"][0][:2] == ("ok", "none open")


def test_deliveries_that_nobody_sends(delivery: Delivery) -> None:
    assert diagnose("Relay worker")["Relay worker"][0] == ("ok", "nothing waits that is due", "")
    Delivery.objects.update(next_at=timezone.now() - timedelta(minutes=3))
    assert diagnose("Relay worker")["Relay worker"][0][:2] == ("fault", "deliveries are due and nobody sends them")
    # It has much to do.
    Attempt.objects.create(delivery=delivery, key="k")
    assert diagnose("Relay worker")["Relay worker"][0][0] == "ok"
    Attempt.objects.all().delete()
    update_profile(paused_until=timezone.now() + timedelta(minutes=1), pause_reason="key")
    results = diagnose("Relay worker")
    assert results["Relay worker"][0][0] == "ok"
    assert results["Relay"][0][0] == "look"
    assert "rejects our key" in results["Relay"][0][1]


@pytest.mark.parametrize(("hours", "verdict"), [(0.5, "ok"), (2, "look"), (25, "fault")])
def test_an_event_that_waits_that_nobody_posts_or_that_was_given_up(hours: float, verdict: str) -> None:
    account = Account.objects.get()
    event = Event.objects.create(account=account, type="entity.created", data={})
    subscription = Subscription.objects.create(account=account, url="https://portal.example/?key=4711")
    EventDelivery.objects.create(subscription=subscription, event=event, about="e", tries=1, next_at=timezone.now())
    since(event, hours=hours)
    [(found, finding, _)] = diagnose("Events")["Events"]
    assert found == verdict
    assert finding.startswith("1 unsent, the oldest for ")
    EventDelivery.objects.update(tries=0, next_at=timezone.now() - timedelta(minutes=6))
    since(event, hours=0.1)
    assert diagnose("Events")["Events"][0][:2] == ("fault", "events are due and nobody posts them")
    EventDelivery.objects.update(next_at=None, dead_at=timezone.now())
    assert diagnose("Events")["Events"][0][:2] == ("look", "0 unsent; 1 given up")
