"""The time zone of a page: the reader's own, unless it is unknown, and the operator's at the desk."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# The operator's zone in the tests is Chatham, 13:45 ahead of UTC in November.
CHATHAM = "25 November 2026, 00:15 (Chatham time)"
TOKYO = "24 November 2026, 19:30 (Tokyo time)"


@pytest.fixture
def address(submitted: Draft) -> str:
    """The address of the page with the receipt of an application."""
    submitted.application.submitted_at = datetime(2026, 11, 24, 10, 30, tzinfo=UTC)
    submitted.application.save(update_fields=["submitted_at"])
    return f"/applications/{submitted.application.reference}/status/"


def page(client: Client, address: str, **headers: str) -> str:
    response: Any = client.get(address, headers=headers)
    assert response.status_code == 200
    return Markup(response.content.decode()).one("body").text.replace("\u00a0", " ")


def test_a_page_has_its_readers_times_and_names_the_zone(as_owner: Client, address: str) -> None:
    assert CHATHAM in page(as_owner, address), "without script"
    as_owner.cookies["time_zone"] = "Asia/Tokyo"
    text = page(as_owner, address)
    assert TOKYO in text
    assert "Times are in Tokyo time." in text


@pytest.mark.parametrize("zone", ["", "EST", "Mars/North", "../../etc/passwd", "<script>", "Asia/Tokyo\x00", "A" * 999])
def test_an_unknown_zone_is_ignored(as_owner: Client, address: str, zone: str) -> None:
    as_owner.cookies["time_zone"] = zone
    assert CHATHAM in page(as_owner, address)
    assert CHATHAM in page(as_owner, address, time_zone=zone)


def test_a_part_of_a_page_keeps_the_pages_zone(as_owner: Client, address: str) -> None:
    before = as_owner.get(address)
    assert """hx-headers='{"Time-Zone": "Pacific/Chatham"}'""" in before.content.decode()
    as_owner.cookies["time_zone"] = "Asia/Tokyo"
    assert CHATHAM in page(as_owner, address, time_zone="Pacific/Chatham")
    assert {"Cookie", "Time-Zone"} <= set(before["Vary"].split(", "))


def test_agents_see_the_operators_zone(as_agent: Client) -> None:
    as_agent.cookies["time_zone"] = "Asia/Tokyo"
    assert "Newest first. Times are in Chatham time." in page(as_agent, "/desk/audit/")
