"""What the gateway reads of an entity's record, whatever a service calls it."""

from datetime import date
from typing import Any

import pytest

from formation_portal.gateway.records import EntityRecord


def test_every_member_is_read_under_each_of_its_names() -> None:
    record = {
        "id": "ent_7",
        "status": "incorporated",
        "status_note": "Filed",
        "company_number": "2087311",
        "incorporated_at": "2026-11-20T23:30:00Z",
        "pending_submission": False,
        "payment_url": "https://pay.example/i/9?t=1",
    }
    assert EntityRecord.read(record) == EntityRecord(
        id="ent_7",
        status="incorporated",
        note="Filed",
        company_number="2087311",
        incorporated_on=date(2026, 11, 20),
        pending_submission=False,
        payment_url="https://pay.example/i/9?t=1",
    )
    others = {
        "entity_id": "E-3",
        "feedback": "  Send\x07 the deed\r\n again ",
        "registration_number": 4711,
        "incorporated_at": "2026-10-02",
        "invoice_url": "https://invoices.example/3",
    }
    assert EntityRecord.read(others) == EntityRecord(
        id="E-3",
        note="Send the deed\nagain",
        company_number="4711",
        incorporated_on=date(2026, 10, 2),
        payment_url="https://invoices.example/3",
    )


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"status": None, "status_note": ["No"], "company_number": True, "incorporated_at": 3, "payment_url": {}},
        {"status": "  ", "status_note": "\u0000", "company_number": {}, "incorporated_at": "2026-02-31"},
        {"status": [], "incorporated_at": "soon", "pending_submission": "yes", "invoice_url": "\u0000"},
    ],
)
def test_what_cannot_be_used_counts_as_absent(record: dict[str, Any]) -> None:
    assert EntityRecord.read(record) == EntityRecord()


@pytest.mark.parametrize(
    "url",
    [
        "http://pay.example/9",
        "javascript:alert(1)",
        "https://user@pay.example/9",
        "https://pay.example/\nb",
        "https://p\u0430y.example/9",
        "https://pay.example/" + "9" * 2_000,
    ],
)
def test_no_page_links_to_an_address_that_is_not_plain_https(url: str) -> None:
    assert EntityRecord.read({"payment_url": url}).payment_url == ""
    assert EntityRecord.read({"payment_url": url, "invoice_url": "https://ok.example/1"}).payment_host == "ok.example"


@pytest.mark.parametrize("status", ["awaiting_payment", "pending_payment", "payment_required", "unpaid", "draft"])
def test_a_status_of_the_list_and_a_pending_submission_wait_for_payment(status: str) -> None:
    assert EntityRecord.read({"status": status}).awaits_payment is (status != "draft")
    assert EntityRecord.read({"status": status, "pending_submission": True}).awaits_payment
    for pending in ("true", False):
        assert not EntityRecord.read({"status": "submitted_for_review", "pending_submission": pending}).awaits_payment
