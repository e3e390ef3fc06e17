"""Records and lists are found bare or under `data`; what holds none is unusable."""

from typing import Any

import pytest

from formation_portal.gateway import records
from formation_portal.gateway.errors import UnusableAnswer


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
