"""What most people type is read in a shorter way, and as what the long way gives."""

import phonenumbers
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from formation_portal.contract.fields import parsing
from formation_portal.contract.fields.text import PhoneField
from formation_portal.contract.fields.values import AnswerError

PHONE = PhoneField(key="phone", label="Phone")
_CODES = sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)
# One code in ten is nobody's.
_NUMBERS = st.builds(
    "+{}{}".format,
    st.sampled_from(_CODES) | st.integers(0, 999),
    st.text("0123456789", max_size=18) | st.text("01", max_size=12),
)


@given(_NUMBERS)
@example("+41446681234")
# A national prefix that is dropped, a zero that is kept, and one too few or too many.
@example("+410446681234")
@example("+390612345678")
@example("+4144668")
@example("+2618222377")
@example("+" + "1" * 18)
def test_a_telephone_number_is_what_the_library_makes_of_it(text: str) -> None:
    try:
        number = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        number = None
    if number is None or not phonenumbers.is_possible_number(number):
        with pytest.raises(AnswerError):
            PHONE.clean(text)
    else:
        sent = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
        assert PHONE.clean(text) == sent


@given(st.from_regex(r"-?[0-9]{1,17}(\.[0-9]{1,16})?", fullmatch=True))
@example("0")
@example("-0")
@example("007")
@example("1000.50")
@example("1.0")
@example("12345678.1234567000")
@example("123456789012345")
@example("1234567890123456")
def test_a_number_is_the_same_with_a_space_behind_it(text: str) -> None:
    """A space takes the long way."""
    read = []
    for typed in (text, f"{text} "):
        try:
            read.append(parsing.decimal(typed, label="Number").as_tuple())
        except AnswerError as error:
            read.append((error.code, error.message))
    assert read[0] == read[1]
