"""Text is cleaned before it is judged: nothing stays that nobody can see, and no name loses what it is written with."""

from collections.abc import Callable
from typing import Any

import idna
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from formation_portal.contract.fields.cleaning import clean_email, clean_line, clean_lines
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.fields.types import read_field
from formation_portal.contract.fields.values import AnswerError

# Default_Ignorable_Code_Point of Unicode 16.0, as first and last code points of DerivedCoreProperties.txt.
IGNORABLE_RANGES = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
IGNORABLE = {chr(code) for first, last in IGNORABLE_RANGES for code in range(first, last + 1)}
VARIATION_SELECTORS = {chr(code) for code in (*range(0x180B, 0x180E), 0x180F, *range(0xFE00, 0xFE10))} | {
    chr(code) for code in range(0xE0100, 0xE01F0)
}
DIRECTION_MARKS = {"\u200e", "\u200f", "\u061c"}
JOINERS = {"\u200c", "\u200d"}

PERSIAN_JOINED = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
SINHALA = "\u0dc1\u0dca\u200d\u0dbb\u0dd3"  # Sri
HAN = "\u845b\U000e0100\u98fe"  # Katsushika, whose first character has two forms

TEXTS = st.text(
    st.one_of(
        st.sampled_from(sorted(IGNORABLE - VARIATION_SELECTORS)),
        st.sampled_from(["\u200c", "\u200d", "\ufe0f", "\U000e0100", "\u180b", "\u2800", "\u200e", "\u200f"]),
        st.sampled_from(["\u0645", "\u06cc", "\u0627", "\u0dca", "\u094d", "\u845b", "e", "\u0301", "\u093c"]),
        st.sampled_from([" ", "\t", "\n", "\r", "\u00a0", "\u3000", "\u2028"]),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=20,
)


@pytest.mark.parametrize(
    ("clean", "typed", "cleaned"),
    [
        (clean_line, "\u2800", ""),
        (clean_line, "\u200b \u2800\t\u3164", ""),
        (clean_line, "\u202a+41417288000\u202c", "+41417288000"),
        (clean_line, "Ina\nMaria", "Ina Maria"),
        (clean_line, "\u3000Larkfield\u00a0 Holdings\u2028", "Larkfield Holdings"),
        (clean_line, "Lark\u00adfield", "Larkfield"),
        (clean_line, "e\u200b\u0301", "\u00e9"),
        (clean_line, "Ada \u202egnp.exe", "Ada gnp.exe"),
        (clean_line, "\u200f\u0639\u0644\u064a\u200f \u200eLtd", "\u0639\u0644\u064a Ltd"),
        (clean_line, PERSIAN_JOINED, PERSIAN_JOINED),
        (clean_line, SINHALA, SINHALA),
        (clean_line, HAN, HAN),
        (clean_line, "Ada \ufe0fByron", "Ada Byron"),
        (clean_line, "\u845b\U000e0100\ufe00", "\u845b\U000e0100"),
        (clean_line, "Ada\u200dByron", "AdaByron"),
        (clean_lines, " Holds shares.\r\n\r\n  In two companies.\r", "Holds shares.\n\n  In two companies."),
        (clean_lines, "\u0639\u0644\u064a (C++)\u200e \u0648", "\u0639\u0644\u064a (C++)\u200e \u0648"),
        (clean_lines, "\u200e a \u200f\n", "a"),
        (clean_lines, "a\u202eb\u2066c\u2069", "abc"),
        (clean_lines, "\u200e\u200f", ""),
    ],
)
def test_a_line_has_nothing_that_nobody_sees_and_lines_keep_their_ends_and_marks_of_direction(
    clean: Callable[[str], str], typed: str, cleaned: str
) -> None:
    assert clean(typed) == cleaned


@given(TEXTS)
@example("\u0645\u200c\u200c\u0645")
@example("\u0dca\u200d\ufe0f")
def test_what_is_cleaned_has_nothing_ignorable_but_what_names_are_written_with_and_stays_as_it_is(text: str) -> None:
    assert clean_line(clean_line(text)) == clean_line(text)
    assert clean_lines(clean_lines(text)) == clean_lines(text)
    assert not DIRECTION_MARKS.intersection(clean_line(text))
    assert forbidden_places(clean_line(text)) == []
    # Several lines also keep marks of direction, but not at their ends.
    cleaned = clean_lines(text)
    assert not DIRECTION_MARKS.intersection(cleaned[:1] + cleaned[-1:])
    for place in forbidden_places(cleaned):
        assert cleaned[place] in DIRECTION_MARKS, ascii(cleaned)


def forbidden_places(text: str) -> list[int]:
    """Where a text has an ignorable character that the rules don't allow there."""
    return [place for place, letter in enumerate(text) if letter in IGNORABLE and not is_allowed(text, place)]


def is_allowed(text: str, place: int) -> bool:
    if text[place] in VARIATION_SELECTORS:
        before = text[place - 1 : place]
        return bool(before) and before not in IGNORABLE and not before.isspace()
    return text[place] in JOINERS and idna.valid_contextj(text, place)


def field(field_type: str, **more: Any) -> Any:
    return read_field({"key": "k", "label": "A question", "field_type": field_type, **more})


@pytest.mark.parametrize("typed", ["\u200b", "\u2800", "\u200e \u200f", ["\u200b"], {"street1": "\u2800", "city": ""}])
def test_what_nobody_sees_is_no_answer(typed: Any) -> None:
    assert is_blank(typed)


@pytest.mark.parametrize(
    ("spec", "typed", "value"),
    [
        (field("phone"), "\u202a+41417288000\u202c", "+41417288000"),
        (field("text", canonical_field="person.email"), "ada@example.com\u200b", "ada@example.com"),
        (field("number"), "\u206620000\u2069", 20000),
        (field("text"), "Ina\tMaria", "Ina Maria"),
        (field("textarea"), "Tea\u200b\r\nSpices ", "Tea\nSpices"),
    ],
)
def test_every_type_that_is_typed_reads_clean_text(spec: Any, typed: Any, value: Any) -> None:
    assert spec.clean(typed) == value


@pytest.mark.parametrize(
    ("spec", "typed"),
    [
        (field("select", options=["Red"]), "Red\u200b"),
        (field("nationality"), ["CH\u200b"]),
        (field("address"), {"street1": "1", "city": "Zug", "country": "CH\u200b"}),
    ],
)
def test_options_and_codes_are_not_cleaned(spec: Any, typed: Any) -> None:
    with pytest.raises(AnswerError):
        spec.clean(typed)


@pytest.mark.parametrize(
    ("typed", "cleaned"),
    [
        (" Ada@Bücher.Example\u200b", "ada@xn--bcher-kva.example"),
        ("ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
        ("ada@straße.example", "ada@xn--strae-oqa.example"),
        ("info@παράδειγμα.ελ", "info@xn--hxajbheg2az3al.xn--qxam"),
        ("jörg@example.com", "jörg@example.com"),
        ("ada@-ü", "ada@-ü"),
        ("ü", "ü"),
        ("", ""),
    ],
)
def test_an_address_has_one_spelling_in_every_browser(typed: str, cleaned: str) -> None:
    assert clean_email(typed) == cleaned
