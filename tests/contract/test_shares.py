"""Numbers of shares: what is read, what is refused and why, and that equal parts are equal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.canonical import CLASS_SHARES, ENTITY_SHARES
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.record import Holding, Record
from formation_portal.contract.rules import evaluate
from formation_portal.contract.shares import over_issued, parse_number_of_shares, split_equally
from tests.contract.builders import entity, form, person, question, record, role, share_class


@pytest.mark.parametrize(("typed", "number"), [("0", 0), ("5000", 5000), ("5,000", 5000), ("5 000", 5000), ("7.0", 7)])
def test_whole_numbers_are_read_however_they_are_grouped(typed: str, number: int) -> None:
    assert parse_number_of_shares(typed, of="shares") == number


@pytest.mark.parametrize(
    ("typed", "code", "message"),
    [
        ("lots", "not_a_number", "Enter the number of Ordinary shares in digits, like 5000"),
        ("1.5", "not_whole", "Enter a whole number of Ordinary shares"),
        ("-5", "negative", "Enter the number of Ordinary shares as zero or more"),
        ("1" + "0" * 30, "too_many_digits", "Enter the number of Ordinary shares with at most 15 digits"),
    ],
)
def test_anything_else_is_refused_with_the_way_out(typed: str, code: str, message: str) -> None:
    with pytest.raises(AnswerError) as refused:
        parse_number_of_shares(typed, of="Ordinary shares")
    assert (refused.value.code, refused.value.message) == (code, message)


@given(st.text())
def test_no_text_is_read_as_less_than_nothing_or_as_more_than_can_be_kept(typed: str) -> None:
    try:
        number = parse_number_of_shares(typed, of="shares")
    except AnswerError:
        return
    assert 0 <= number < 10**15


@given(total=st.integers(min_value=0, max_value=10**15), among=st.integers(min_value=1, max_value=200))
def test_equal_parts_add_up_and_the_first_get_what_is_left_over(total: int, among: int) -> None:
    parts = split_equally(total, among=among)
    assert (len(parts), sum(parts)) == (among, total)
    assert max(parts) - min(parts) <= 1
    assert list(parts) == sorted(parts, reverse=True)


SHARE_SECTION = {
    "scope": "share_structure",
    "title": "Shares",
    "fields": [question("there_are", "number", canonical_field=CLASS_SHARES)],
}
SHARES = form(entity(question("all", "number", canonical_field=ENTITY_SHARES)), role("shareholder"), SHARE_SECTION)


@pytest.mark.parametrize(
    ("role_of_ada", "held", "of_class", "of_all", "messages"),
    [
        ("shareholder", 100, 100, 100, []),
        ("shareholder", 101, 100, 101, ["Reduce “Class A” by 1 share, to the 100 available"]),
        ("shareholder", 100, 101, 99, ["Reduce all share classes together by 1 share, to the 99 available"]),
        (
            "shareholder",
            102,
            100,
            100,
            ["Reduce “Class A” by 2 shares", "Reduce all share classes together by 2 shares"],
        ),
        ("shareholder", 5, None, None, []),
        ("director", 7, 1, 1, []),
    ],
)
def test_no_more_is_given_to_shareholders_than_there_is(
    role_of_ada: str, held: int, of_class: int | None, of_all: int | None, messages: list[str]
) -> None:
    ada = person(SHARES, role_of_ada)
    one = share_class(SHARES, **({"there_are": of_class} if of_class else {}))
    typed = record(SHARES, parties=(ada,), classes=(one,), **({"all": of_all} if of_all else {}))
    given = Record(typed.answers, typed.parties, typed.share_classes, (Holding(ada.id, one.id, held),))
    found = [need.text for need in over_issued(evaluate(SHARES, given))]
    assert len(found) == len(messages)
    assert all(text.startswith(beginning) for text, beginning in zip(found, messages, strict=True))
