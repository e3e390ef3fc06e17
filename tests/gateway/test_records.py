"""Records and lists are found bare or under `data`; what holds none is unusable."""

from datetime import date
from typing import Any

import pytest

from formation_portal.gateway import records
from formation_portal.gateway.errors import UnusableAnswer
from formation_portal.gateway.records import EntityRecord


@pytest.mark.parametrize("answer", [{"data": {"id": "a"}}, {"id": "a"}, {"data": {"id": "a"}, "extra": 1}])
def test_a_record_is_found_bare_or_under_data(answer: Any) -> None:
    assert records.record_in(answer) == {"id": "a"}
    for other in (None, "a", [answer], {"data": []}):
        with pytest.raises(UnusableAnswer):
            records.record_in(other)


@pytest.mark.parametrize("answer", [[{"a": 1}], {"data": [{"a": 1}]}, {"data": [{"a": 1}], "meta": {}}])
def test_a_list_is_found_bare_or_under_data(answer: Any) -> None:
    assert records.records_in(answer) == [{"a": 1}]
    for other in (None, {"data": {}}, {"items": []}, "[]", [{"a": 1}, "b"]):
        with pytest.raises(UnusableAnswer):
            records.records_in(other)


@pytest.mark.parametrize(
    ("answer", "pages"),
    [([], 1), ({"data": []}, 1), ({"meta": {"total_pages": 3}}, 3), ({"meta": {"total_pages": "3"}}, 1)]
    + [({"meta": {"total_pages": odd}}, 1) for odd in (0, -1, True, None, 1.5)],
)
def test_pages_are_counted_where_the_list_says(answer: Any, pages: int) -> None:
    assert records.pages_in(answer) == pages


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"{", b"NaN", b'{"a": Infinity}', b"\xff", b"[" * 100_000, b"1" * 5_000]
)
def test_what_is_no_json_is_unusable(body: bytes) -> None:
    with pytest.raises(UnusableAnswer):
        records.read_json(body)


def test_characters_that_nothing_can_hold_are_replaced() -> None:
    found = records.read_json(rb'{"a\u0000b": ["\ud83d\ude00", "\ud800", {"c": "\u0000"}], "d": 1, "e": "\\u0000"}')
    assert found == {"a?b": ["\U0001f600", "?", {"c": "?"}], "d": 1, "e": r"\u0000"}


@pytest.mark.parametrize("odd", [None, "", 7, "x" * 201])
def test_an_id_is_taken_from_any_of_its_names_and_an_odd_one_is_none(odd: Any) -> None:
    assert records.with_id({"entity_id": "e"}, ("id", "entity_id")) == {"entity_id": "e", "id": "e"}
    with pytest.raises(UnusableAnswer):
        records.with_id({"id": odd}, ("id",))


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
