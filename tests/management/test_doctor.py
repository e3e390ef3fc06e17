"""`manage.py doctor`: each of its verdicts is made wrong on purpose."""

import json
import os
import re
import smtplib
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
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
from formation_portal.core.private_files import keep_files_private
from formation_portal.gateway import catalog
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import queue_email
from formation_portal.management import health as settings_health
from formation_portal.relay.models import Attempt, Delivery, DeliveryState
from formation_portal.relay.service_profile import update_profile
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Account, Event, EventDelivery, Subscription
from tests import factories
from tests.core.test_versions import record_as_before
from tests.mail.smtp_server import mail_server
from tests.needed import needed
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schemas import USABLE
from tests.scratch_postgres import KEYS, running_cluster, server_programs

from .served import free_port

__all__ = ["at_other_service", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

PROJECT = Path(__file__).resolve().parents[2]

Doctor = Callable[[], dict[str, list[tuple[str, str, str]]]]


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


@pytest.fixture
def doctor() -> Doctor:
    """Verdict, what was found and remedy of each result, by its check."""

    def ask() -> dict[str, list[tuple[str, str, str]]]:
        output = StringIO()
        try:
            call_command("doctor", "--json", stdout=output)
            code = 0
        except SystemExit as end:
            code = int(str(end.code))
        report = json.loads(output.getvalue())
        results: dict[str, list[tuple[str, str, str]]] = {}
        for one in report["checks"]:
            results.setdefault(one["check"], []).append((one["verdict"], one["found"], one["remedy"]))
        assert code == (report["count"]["fault"] > 0)
        assert all(remedy for rows in results.values() for verdict, _, remedy in rows if verdict != "ok")
        return results

    return ask


@pytest.fixture
def delivery(owner: User) -> Delivery:
    application = services.start(owner=owner, product=factories.product())
    Delivery.objects.all().delete()
    return Delivery.objects.create(application=application, kind="entity", state=DeliveryState.WAITING, key="k")


def since(row: Any, **age: float) -> None:
    """What it says of when it was made or changed is so long ago."""
    name = next(name for name in ("created_at", "updated_at") if hasattr(row, name))
    type(row).objects.filter(pk=row.pk).update(**{name: timezone.now() - timedelta(**age)})


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


def test_settings_that_others_must_not_meet(doctor: Doctor, settings: Any) -> None:
    assert doctor()["Settings"] == [("ok", "nothing is wrong with them", "")]
    settings.PORTAL_URL = "https://portal.example"
    found = {text.partition(":")[0]: verdict for verdict, text, _ in doctor()["Settings"]}
    assert found["DEMO"] == found["SECURE_COOKIES"] == "fault"


def test_a_portal_without_a_help_desk(doctor: Doctor, settings: Any) -> None:
    settings.HELP_EMAIL = settings.HELP_TELEPHONE = ""
    [(verdict, found, remedy)] = doctor()["Settings"]
    assert (verdict, remedy) == ("look", "Set HELP_EMAIL, HELP_TELEPHONE or both.")
    assert "nobody to ask for help" in found
    settings.HELP_TELEPHONE = "+44 20 7946 0123"
    assert doctor()["Settings"][0][0] == "ok"


def test_djangos_own_checks_and_misspelled_names(
    doctor: Doctor, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FORMATION_SERVICE_KEY = "unused"
    settings.OPERATOR_ACCENT = "#ffff00"
    monkeypatch.setenv("EMAIL_URI", "smtp://mail.example")
    rows = doctor()["Settings"]
    found = {(verdict, text.rpartition("(")[2]) for verdict, text, _ in rows[:-1]}
    assert found == {("fault", "formation_portal.E001)"), ("look", "gateway.W001)")}
    assert rows[-1] == ("look", "EMAIL_URI is no setting of the portal", "Is it EMAIL_URL that you mean?")


def test_a_portal_behind_https_is_not_asked_for_what_its_operator_decides(settings: Any) -> None:
    settings.PORTAL_URL = "https://portal.example"
    found = [one.finding for one in settings_health.check_settings()]
    assert not [text for text in found if "W021" in text or "W008" in text]
    assert [text for text in found if "security.W004" in text]
    assert [text for text in found if "security.W012" in text]


def test_secrets_that_others_on_the_machine_can_read(doctor: Doctor, tmp_path: Path) -> None:
    assert doctor()["DATA_DIR"] == [("ok", "is closed to others on this machine", "")]
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents").chmod(0o755)
    assert doctor()["DATA_DIR"][0][:2] == ("look", "others on this machine can open 1 of its files and folders")
    tmp_path.chmod(0o755)
    assert doctor()["DATA_DIR"][0][:2] == ("look", "others on this machine can open the folder")
    (tmp_path / "portal-service-key").chmod(0o640)
    [(verdict, found, _)] = doctor()["DATA_DIR"]
    assert (verdict, found) == ("fault", "others on this machine can read portal-service-key")


@pytest.mark.parametrize(("free", "verdict"), [(10**8, "fault"), (10**9, "look"), (10**11, "ok")])
def test_a_disk_that_gets_full(doctor: Doctor, monkeypatch: pytest.MonkeyPatch, free: int, verdict: str) -> None:
    monkeypatch.setattr(health.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert {row[0] for row in doctor()["Disk"]} == {verdict}


def test_migrations_that_were_not_applied(doctor: Doctor) -> None:
    with connections["service"].cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'service'")
    [(verdict, found, remedy)] = doctor()["Database “service”"]
    assert (verdict, remedy) == ("fault", "Run manage.py setup_portal.")
    assert "migrations are not applied" in found
    assert doctor()["Database “default”"][0][0] == "ok"


def test_a_database_that_is_too_old(doctor: Doctor) -> None:
    record_as_before("service", "service", 1)
    assert doctor()["Database “service”"] == [
        ("fault", "is too old for this version", "Start commit 6b59e74e with it once.")
    ]
    assert doctor()["Database “default”"][0][0] == "ok"


def test_a_clock_that_is_wrong(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now
    monkeypatch.setattr(health, "timezone", SimpleNamespace(now=lambda: now() + timedelta(seconds=40)))
    [(verdict, found, _)] = doctor()["Clock of “default”"]
    assert (verdict, found) == ("fault", "40 s behind this machine's")


def test_databases_that_are_away_or_damaged_and_no_password_is_printed(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.sqlite3"
    (tmp_path / "data").mkdir()
    with sqlite3.connect(damaged) as connection:
        connection.execute("CREATE TABLE one (text)")
        connection.executemany("INSERT INTO one VALUES (?)", [("x" * 500,)] * 500)
        connection.execute("CREATE INDEX by_text ON one (text)")
    connection.close()
    content = bytearray(damaged.read_bytes())
    content[40_960:45_056] = os.urandom(4096)
    damaged.write_bytes(content)
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"} | {
        "DATA_DIR": str(tmp_path / "data"),
        "DATABASE_URL": "postgres://portal:geheim-4711@127.0.0.1:1/portal",
        "SERVICE_DATABASE_URL": f"sqlite:///{damaged}",
        "EMAIL_URL": "smtp://portal:geheim-4711@127.0.0.1:1",
        **KEYS,
    }
    command = [sys.executable, "manage.py", "doctor"]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "fault  Database “default”: does not answer (OperationalError) → Start the database" in done.stdout
    assert "fault  File of “service”: is damaged → Stop the portal, and restore" in done.stdout
    assert "fault  Deliveries: can't be checked (OperationalError) → See the results of the databases." in done.stdout
    assert "fault  Mail server: can't be reached (ConnectionRefusedError)" in done.stdout
    assert "geheim" not in done.stdout + done.stderr


def run_doctor(data: Path, **more: str) -> str:
    """Run the command in a process of its own, and return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor"],
        cwd=PROJECT,
        env=environment | {"DATA_DIR": str(data), "LOG_LEVEL": "CRITICAL"} | more,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.mark.postgres
@needed("PostgreSQL", server_programs() is not None)
def test_while_databases_are_away_no_result_blames_anything_else(tmp_path: Path) -> None:
    with running_cluster() as cluster:
        data = tmp_path / "portal"
        data.mkdir()
        more = {f"{name}DATABASE_URL": f"{cluster.url}/portal" for name in ("", "SERVICE_")}
        cluster.make_database("portal")
        (data / "portal-service-key").write_text("sk_live_of_the_portal")
        cluster.stop()
        try:
            with_files = run_doctor(data, **KEYS, **more)
            more |= {"SECRETS_KEY": KEYS["FIELD_KEYS"], "HELP_EMIAL": "help@kite.example"}
            with_secrets = run_doctor(
                data, **more, DEMO="false", PORTAL_URL="https://portal.example", SECURE_COOKIES="true"
            )
        finally:
            cluster.start()
    for output in (with_files, with_secrets):
        assert output.count("does not answer (OperationalError) → Start the database server") == 2
        assert "fault  Cache: does not answer (OperationalError) → See the results of the databases." in output
        assert "ok     Storage: writes, reads and removes a file" in output
        assert "setup_portal" not in output
    assert re.search("fault  Formation service: .* → See the results of the databases.", with_files)
    assert "HELP_EMIAL is no setting of the portal" in with_secrets
    assert "Remove these files" not in with_secrets


def test_a_cache_and_a_bucket_that_are_away(tmp_path: Path) -> None:
    away = f"127.0.0.1:{free_port()}"
    output = run_doctor(
        tmp_path,
        **KEYS,
        CACHE_URL=f"redis://:geheim-4711@{away}/0",
        STORAGE_URL=f"s3://key:geheim-4711@uploads?endpoint=http://{away}",
    )
    lines = output.splitlines()
    assert (
        "fault  Cache: the shared cache does not answer or refuses; the database counts meanwhile "
        "→ Start the cache's server, or correct CACHE_URL."
    ) in lines
    assert (
        "fault  Storage: a file can't be kept (EndpointConnectionError) "
        "→ Start the bucket's server, or correct STORAGE_URL; the key has to write, list, read and delete."
    ) in lines
    assert "geheim" not in output


def test_a_data_dir_that_is_not_there_is_said_and_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "misspelled"
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "manage.py", "doctor"]
    done = subprocess.run(
        command, cwd=PROJECT, env=environment | {"DATA_DIR": str(missing)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "DATA_DIR: is not there: nothing was set up." in done.stderr
    assert not missing.exists()


def test_storage_that_keeps_nothing(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    before = default_storage.listdir("")[1]
    assert doctor()["Storage"][0][0] == "ok"
    assert default_storage.listdir("")[1] == before

    def is_full(*_: Any, **__: Any) -> str:
        raise OSError("no room for Solheim.pdf")

    with monkeypatch.context() as patch:
        patch.setattr(default_storage, "save_stored", is_full)
        assert doctor()["Storage"][0][:2] == ("fault", "a file can't be kept (OSError)")
    monkeypatch.setattr(health.ContentFile, "chunks", lambda self, *_: iter([b"another content"]))
    assert doctor()["Storage"][0][:2] == ("fault", "gives back something else than was written")


def test_a_cache_that_keeps_nothing(doctor: Doctor, settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    assert doctor()["Cache"][0][0] == "fault"
    table = {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "not_there"}
    settings.CACHES = {"default": table}
    with connections["default"].cursor() as cursor:
        assert "not_there" not in connections["default"].introspection.table_names(cursor)
    assert doctor()["Cache"] == [("fault", "does not answer (OperationalError)", "Run manage.py setup_portal.")]


def test_a_mail_server_that_is_away_or_refuses_the_password(
    doctor: Doctor, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mail_server(settings) as server:
        assert doctor()["Mail server"][0] == ("ok", "takes a connection", "")
        assert not server.messages
        assert server.farewells == 1

        def refuses(*_: Any) -> None:
            raise smtplib.SMTPAuthenticationError(535, b"mira@example.com: wrong password")

        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "mira@example.com", "geheim"
        monkeypatch.setattr(smtplib.SMTP, "login", refuses)
        assert doctor()["Mail server"][0][:2] == ("fault", "refuses user or password")
    found = doctor()["Mail server"][0]
    assert found[:2] == ("fault", "can't be reached (ConnectionRefusedError)")


@pytest.mark.parametrize(("hours", "verdict"), [(0.9, "ok"), (1.1, "look"), (11.9, "look"), (12.1, "fault")])
def test_a_letter_that_waits(doctor: Doctor, settings: Any, hours: float, verdict: str) -> None:
    settings.LETTERS_GO_OUT = True
    context = {"code": "204 816", "minutes": 10, "reference": "FP-1"}
    queue_email(kind="code", to="ada@example.com", language="en", context=context)
    letter = Email.objects.get()
    since(letter, hours=hours)
    [row] = doctor()["E-mails"]
    assert row[0] == verdict
    assert row[1].startswith("1 unsent, the oldest for ")
    assert "example.com" not in "".join(row)


def test_letters_that_nobody_sends_or_that_were_given_up(doctor: Doctor, settings: Any) -> None:
    settings.LETTERS_GO_OUT = True
    letter = Email.objects.create(kind="code", language="en", next_at=timezone.now() - timedelta(minutes=6))
    assert doctor()["E-mails"][0][:2] == ("fault", "letters are due and nobody sends them")
    Email.objects.filter(pk=letter.pk).update(next_at=None)
    assert doctor()["E-mails"][0][:2] == ("look", "0 unsent; 1 given up within a week")
    Email.objects.filter(pk=letter.pk).update(sent_at=timezone.now())
    assert doctor()["E-mails"][0][0] == "ok"


def test_a_service_that_is_not_there_refuses_the_key_or_has_another_time(
    doctor: Doctor, at_other_service: OtherService, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_other_service.catalog = list(USABLE[:1])
    results = doctor()
    assert results["Formation service"][0][0] == results["Service's clock"][0][0] == "ok"
    with monkeypatch.context() as patch:
        patch.setattr(
            "tests.other_service.http_server._Handler.date_time_string",
            lambda *_: formatdate(timezone.now().timestamp() - 86_400, usegmt=True),
        )
        verdict, found, _ = doctor()["Service's clock"][0]
        assert verdict == "fault"
        assert re.fullmatch(r"86,[45]\d\d s behind this machine's", found)
    with monkeypatch.context() as patch:
        patch.setattr("formation_portal.gateway.health._SLOW_SECONDS", 0.0)
        assert doctor()["Formation service"][0][0] == "look"
    at_other_service.key = "another"
    [row] = doctor()["Formation service"]
    assert row[0] == "fault"
    assert "FORMATION_SERVICE_KEY" in row[2]
    at_other_service.stop()
    [row] = doctor()["Formation service"]
    assert row[:2] == ("fault", "The formation service cannot be reached at the moment")
    assert "FORMATION_SERVICE_URL" in row[2]


def test_the_embedded_service_without_its_key(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / "portal-service-key").unlink()
    assert doctor()["Formation service"][0][2] == "Run manage.py setup_portal."


def test_a_catalog_with_faulty_schemas(doctor: Doctor, at_other_service: OtherService) -> None:
    [row] = doctor()["Catalog"]
    assert row[0] == "fault"
    assert "check_catalog" in row[2]
    at_other_service.catalog = list(USABLE)
    assert doctor()["Catalog"][0][:2] == ("look", f"{len(USABLE)} products, 0 unavailable, 11 warnings")
    at_other_service.catalog = []
    assert doctor()["Catalog"][0][0] == "fault"


@pytest.mark.parametrize(("hours", "verdict"), [(0.5, "ok"), (2, "look"), (25, "fault")])
def test_a_delivery_that_is_on_its_way_for_long(doctor: Doctor, delivery: Delivery, hours: float, verdict: str) -> None:
    first = Attempt.objects.create(delivery=delivery, key="k")
    Attempt.objects.create(delivery=delivery, key="k")
    Attempt.objects.filter(pk=first.pk).update(started_at=timezone.now() - timedelta(hours=hours))
    earlier = Attempt.objects.create(delivery=delivery, key="of an earlier payload")
    Attempt.objects.filter(pk=earlier.pk).update(started_at=timezone.now() - timedelta(days=9))
    [row] = doctor()["Deliveries"]
    assert row[0] == verdict
    assert row[1].startswith("1 waiting; the oldest on its way for ")


def test_deliveries_that_wait_for_people(doctor: Doctor, delivery: Delivery) -> None:
    since(delivery, days=9)
    Delivery.objects.update(state=DeliveryState.HELD)
    assert doctor()["Deliveries"][0][:2] == ("look", "1 held")
    Delivery.objects.update(state=DeliveryState.REFUSED)
    assert doctor()["Deliveries"][0][0] == "ok"
    # Kept here until its customer submits.
    Delivery.objects.update(state=DeliveryState.QUEUED)
    assert doctor()["Deliveries"][0][:2] == ("ok", "none open")


def test_deliveries_that_nobody_sends(doctor: Doctor, delivery: Delivery) -> None:
    assert doctor()["Relay worker"][0] == ("ok", "nothing waits that is due", "")
    Delivery.objects.update(next_at=timezone.now() - timedelta(minutes=3))
    assert doctor()["Relay worker"][0][:2] == ("fault", "deliveries are due and nobody sends them")
    # It has much to do.
    Attempt.objects.create(delivery=delivery, key="k")
    assert doctor()["Relay worker"][0][0] == "ok"
    Attempt.objects.all().delete()
    update_profile(paused_until=timezone.now() + timedelta(minutes=1), pause_reason="key")
    results = doctor()
    assert results["Relay worker"][0][0] == "ok"
    assert results["Relay"][0][0] == "look"
    assert "rejects our key" in results["Relay"][0][1]


@pytest.mark.parametrize(("hours", "verdict"), [(0.5, "ok"), (2, "look"), (25, "fault")])
def test_an_event_that_waits(doctor: Doctor, hours: float, verdict: str) -> None:
    row = _event(tries=1)
    since(row.event, hours=hours)
    [found] = doctor()["Events"]
    assert found[0] == verdict
    assert found[1].startswith("1 unsent, the oldest for ")


def test_events_that_nobody_posts_or_that_were_given_up(doctor: Doctor) -> None:
    row = _event(tries=0)
    EventDelivery.objects.update(next_at=timezone.now() - timedelta(minutes=6))
    assert doctor()["Events"][0][:2] == ("fault", "events are due and nobody posts them")
    EventDelivery.objects.filter(pk=row.pk).update(next_at=None, dead_at=timezone.now())
    assert doctor()["Events"][0][:2] == ("look", "0 unsent; 1 given up")


def _event(*, tries: int) -> EventDelivery:
    account = Account.objects.get()
    event = Event.objects.create(account=account, type="entity.created", data={})
    subscription = Subscription.objects.create(account=account, url="https://portal.example/?key=4711")
    now = timezone.now()
    return EventDelivery.objects.create(subscription=subscription, event=event, about="e", tries=tries, next_at=now)
