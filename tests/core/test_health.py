"""Whoever watches the portal asks two addresses, by whatever name they reach it."""

from typing import Any

import pytest
from django.db import OperationalError, connections
from django.test import Client


def test_the_portal_says_that_it_lives_without_a_database(client: Client) -> None:
    answer = client.get("/livez", headers={"host": "10.1.2.3:8000"})
    assert (answer.status_code, answer.content, answer["Cache-Control"]) == (200, b"ok\n", "no-store")
    assert not answer.cookies


@pytest.mark.django_db(databases=["default", "service"])
def test_the_portal_is_ready_while_both_databases_answer(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/readyz", headers={"host": "10.1.2.3"}).status_code == 200

    def is_away(*_: Any) -> None:
        raise OperationalError("nobody is there")

    monkeypatch.setattr(connections["service"], "cursor", is_away)
    monkeypatch.setattr(connections["service"], "close", lambda: None)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.content) == (503, b"not ready: service\n")
