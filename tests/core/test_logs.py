"""Lines of the log as JSON: what they know of request, account and delivery, through to the formation service."""

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.template import Context, Template
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal import gateway
from formation_portal.accounts.models import User
from formation_portal.core.monitoring.logs import current_request_id, log_context
from formation_portal.gateway.catalog import forget
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.log_lines import Lines, json_lines
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service

__all__ = ["at_other_service", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def lines() -> Iterator[Lines]:
    with json_lines() as lines:
        yield lines


@pytest.fixture
def _fresh_catalog(settings: Any, tmp_path: Any) -> Iterator[None]:
    settings.DATA_DIR = tmp_path
    store_catalog([factories.ITEM])
    portal_key()
    forget()
    yield
    forget()


def test_no_level_writes_what_a_page_was_drawn_from(lines: Lines, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "django")
    Template("{{ nothing }}{{ nobody.name }}").render(Context({"typed": "Thessalind"}))
    with CaptureQueriesContext(connection):
        User.objects.filter(first_name="Thessalind").first()
    assert "Thessalind" not in f"{lines()} {caplog.text}"


def test_a_line_is_one_object_with_what_is_known(lines: Lines) -> None:
    logging.getLogger("formation_portal.any").warning("Two\nlines: %s", "é")
    with log_context(request="r-1", account=lambda: None), log_context(delivery=7):
        try:
            raise ValueError("nothing")
        except ValueError:
            logging.getLogger("formation_portal.any").exception("It went wrong")
    plain, known = lines()
    assert plain.pop("time").endswith("Z")
    assert plain == {"level": "WARNING", "logger": "formation_portal.any", "message": "Two\nlines: é"}
    assert (known["request"], known["delivery"], known["level"]) == ("r-1", 7, "ERROR")
    assert "account" not in known
    assert known["traceback"].startswith("Traceback")
    assert current_request_id() == ""


@pytest.mark.usefixtures("_fresh_catalog")
def test_the_embedded_services_log_shows_the_pages_id(lines: Lines, as_nobody: Client) -> None:
    assert as_nobody.get("/", headers={"X-Request-Id": "proxys-id-1"}).status_code == 200
    [line] = [one for one in lines() if one["logger"] == "formation_portal.service.pipeline"]
    assert line["message"].startswith("proxys-id-1 GET /api/v1/catalog 200")
    assert line["request"] == "proxys-id-1"
    as_nobody.get("/applications/")
    assert lines()[-1]["request"] != "proxys-id-1"


def test_another_service_is_sent_the_pages_id_and_of_a_command_one_for_each_call(
    as_nobody: Client, at_other_service: OtherService
) -> None:
    as_nobody.get("/", headers={"X-Request-Id": "proxys-id-1"})
    assert {call.headers["X-Request-Id"] for call in at_other_service.received} == {"proxys-id-1"}
    at_other_service.received.clear()
    gateway.service().catalog()
    gateway.service().catalog()
    assert len({call.headers["X-Request-Id"] for call in at_other_service.received}) == 2


@pytest.mark.parametrize("chosen", ["plain", "json"])
def test_the_setting_chooses_how_lines_are_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, chosen: str) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("LOG_FORMAT", chosen)
    say = "import django, logging; django.setup(); logging.getLogger('some.where').error('Solved')"
    done = subprocess.run([sys.executable, "-c", say], capture_output=True, text=True, check=True)
    line = done.stderr.splitlines()[-1]
    if chosen == "json":
        assert json.loads(line)["message"] == "Solved"
    else:
        assert line.endswith(" ERROR some.where Solved")


def test_a_plain_line_is_in_utc_whatever_the_operators_zone(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("TIME_ZONE", "Pacific/Kiritimati")
    say = "import django, logging; django.setup(); logging.getLogger('some.where').error('Solved')"
    before = datetime.now(UTC)
    done = subprocess.run([sys.executable, "-c", say], capture_output=True, text=True, check=True)
    written = datetime.strptime(done.stderr.splitlines()[-1][:19], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    assert timedelta(seconds=-1) <= written - before < timedelta(minutes=10)


@pytest.fixture
def request_lines(caplog: pytest.LogCaptureFixture) -> Any:
    caplog.set_level("INFO", "formation_portal.request_log")
    return lambda: [one.getMessage() for one in caplog.records if one.name == "formation_portal.request_log"]


def test_a_line_names_method_route_status_time_id_and_account_and_what_goes_wrong_has_them_too(
    request_lines: Any, lines: Lines, as_owner: Client, owner: Any
) -> None:
    answer = as_owner.get("/applications/?words=Solheim")
    [line] = request_lines()
    assert re.fullmatch(
        rf"GET portal:applications 200 \d+ ms, request {answer['X-Request-Id']}, account {owner.pk}", line
    )
    as_owner.get("/Solheim/", headers={"X-Request-Id": "proxys-id-1"})
    [fault] = [fault for fault in lines() if fault["logger"] == "django.request"]
    assert (fault["request"], fault["account"]) == ("proxys-id-1", owner.pk)


def test_what_is_refused_early_has_its_line(request_lines: Any, as_nobody: Client) -> None:
    as_nobody.get("/", headers={"host": "evil"})
    as_nobody.get("/Solheim/")
    as_nobody.generic("SOLHEIM", "/")
    assert [line.partition(" ms")[0].rsplit(" ", 1)[0] for line in request_lines()] == [
        "GET - 400",
        "GET - 404",
        "- portal:catalog 405",
    ]


@pytest.mark.parametrize(("sent", "is_taken"), [("5f3c-91aa.7", True), ("x", False), ("Ada Solheim 1987", False)])
def test_the_proxys_id_is_taken_where_it_is_one(
    request_lines: Any, as_nobody: Client, sent: str, is_taken: bool
) -> None:
    answer = as_nobody.get("/", headers={"X-Request-Id": sent})
    assert (answer["X-Request-Id"] == sent) is is_taken
    assert answer["X-Request-Id"] in request_lines()[-1]


def test_probes_have_no_line_and_the_embedded_service_an_id_of_its_own(request_lines: Any, as_nobody: Client) -> None:
    as_nobody.get("/livez")
    as_nobody.get("/readyz")
    answer = as_nobody.get("/api/v1/catalog", headers={"X-Request-Id": "its-own-12345"})
    assert answer["X-Request-Id"] == "its-own-12345"
    [line] = request_lines()
    assert "request its-own-12345, account -" in line
