"""Whose portal it is: hours in words, and an accent colour that can be read or stops the start."""

import pytest
from django.core.checks import run_checks
from hypothesis import given
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from formation_portal.core.colours import AA, Accent, contrast, nearest_readable, portal_colours
from formation_portal.core.operator import Operator, hours_in_words, parse_hours

TEXTS = ("ink", "ink-2", "good", "warning", "error")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Mo-Fr 08:00-18:00 Europe/London", "Monday to Friday, 8:00 to 18:00 London time"),
        (
            "Mo-Th 09:30-17:00, Fr 09:30-12:00 Europe/Zurich",
            "Monday to Thursday, 9:30 to 17:00; Friday, 9:30 to 12:00 Zurich time",
        ),
        ("", ""),
    ],
)
def test_hours_are_said_as_people_say_them(written: str, words: str) -> None:
    assert hours_in_words(written, language="en") == words


@pytest.mark.parametrize(
    "written",
    ["always", "Mo-Fr 08:00-18:00", "Mo-Xx 08:00-18:00 UTC", "Mo 08:00-24:30 UTC", "Mo-Fr 08:00-18:00 Mars/North"],
)
def test_hours_that_cannot_be_read_are_refused(written: str) -> None:
    with pytest.raises(ValueError, match="should"):
        parse_hours(written)


def test_a_number_is_dialled_where_its_country_is_known(settings: Settings) -> None:
    settings.HELP_TELEPHONE = "+41 (44) 668-18 00"
    assert 'href="tel:+41446681800"' in Operator().telephone_link
    settings.HELP_TELEPHONE = "020 7946 0123"
    assert Operator().telephone_link == "020 7946 0123"


def test_the_portals_own_colours_pass_and_an_accent_that_can_be_read_is_taken_as_it_is(settings: Settings) -> None:
    assert settings.OPERATOR_ACCENT == ""
    assert run_checks() == []
    settings.OPERATOR_ACCENT = "#0b3d91"
    assert run_checks() == []
    assert nearest_readable("#0b3d91") == "#0b3d91"
    accent = Accent.derived_from("#0B3D91")
    assert accent.plain[0] == "#0b3d91"
    assert "--petrol:light-dark(#0b3d91," in accent.css


def test_an_accent_that_cannot_be_read_stops_the_start_and_is_told_what_would_do(settings: Settings) -> None:
    settings.OPERATOR_ACCENT = "#ffcc00"
    [error] = run_checks()
    assert error.id == "formation_portal.E001"
    assert error.is_serious()
    assert "#ffcc00 on paper (#f3f6f6): 1.4:1" in error.msg
    assert error.hint is not None
    settings.OPERATOR_ACCENT = error.hint.split()[-1].rstrip(".")
    assert run_checks() == []


@given(st.integers(0, 0xFFFFFF).map("#{:06x}".format))
def test_from_any_colour_comes_one_whose_variants_can_be_read_in_both_themes(colour: str) -> None:
    accent = Accent.derived_from(nearest_readable(colour))
    grounds = portal_colours()
    for theme in (0, 1):
        for ground in ("paper", "sheet", "well", "warning-wash", "error-wash"):
            assert contrast(accent.plain[theme], grounds[ground][theme]) >= AA
        for over in (accent.plain[theme], accent.deep[theme]):
            assert contrast(over, grounds["on-petrol"][theme]) >= AA
        for text in (accent.plain[theme], *(grounds[name][theme] for name in TEXTS)):
            assert contrast(text, accent.wash[theme]) >= AA
        assert accent.deep[theme] != accent.plain[theme]
