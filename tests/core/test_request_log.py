"""Each request has a line that says who asked for what, and nothing that anybody typed or is called."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.log_lines import json_lines

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Any:
    caplog.set_level("INFO", "formation_portal.request_log")
    return lambda: [one.getMessage() for one in caplog.records if one.name == "formation_portal.request_log"]


def test_a_line_names_method_route_status_time_id_and_account_and_what_goes_wrong_has_them_too(
    lines: Any, as_owner: Client, owner: Any
) -> None:
    answer = as_owner.get("/applications/?words=Solheim")
    [line] = lines()
    assert re.fullmatch(
        rf"GET portal:applications 200 \d+ ms, request {answer['X-Request-Id']}, account {owner.pk}", line
    )
    with json_lines() as objects:
        as_owner.get("/Solheim/", headers={"X-Request-Id": "proxys-id-1"})
        [line] = [line for line in objects() if line["logger"] == "django.request"]
    assert (line["request"], line["account"]) == ("proxys-id-1", owner.pk)


def test_what_is_refused_early_has_its_line(lines: Any, as_nobody: Client) -> None:
    as_nobody.get("/", headers={"host": "evil"})
    as_nobody.get("/Solheim/")
    as_nobody.generic("SOLHEIM", "/")
    assert [line.partition(" ms")[0].rsplit(" ", 1)[0] for line in lines()] == [
        "GET - 400",
        "GET - 404",
        "- portal:catalog 405",
    ]


@pytest.mark.parametrize(("sent", "is_taken"), [("5f3c-91aa.7", True), ("x", False), ("Ada Solheim 1987", False)])
def test_the_proxys_id_is_taken_where_it_is_one(lines: Any, as_nobody: Client, sent: str, is_taken: bool) -> None:
    answer = as_nobody.get("/", headers={"X-Request-Id": sent})
    assert (answer["X-Request-Id"] == sent) is is_taken
    assert answer["X-Request-Id"] in lines()[-1]


def test_probes_have_no_line_and_the_embedded_service_an_id_of_its_own(lines: Any, as_nobody: Client) -> None:
    as_nobody.get("/livez")
    as_nobody.get("/readyz")
    answer = as_nobody.get("/api/v1/catalog", headers={"X-Request-Id": "its-own-12345"})
    assert answer["X-Request-Id"] == "its-own-12345"
    [line] = lines()
    assert "request its-own-12345, account -" in line
