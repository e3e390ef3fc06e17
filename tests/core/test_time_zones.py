"""Names of time zones, and days that no reader moves."""

from datetime import UTC, date, datetime

import pytest
from django.utils import timezone, translation

from formation_portal.core.time_zones import operators_day, zone_names, zone_words


@pytest.mark.parametrize(
    ("zone", "language", "words"),
    [
        ("Europe/Zurich", "en", "Zurich time"),
        ("Europe/Zurich", "de", "Ortszeit Zürich"),
        ("America/Argentina/Buenos_Aires", "en", "Buenos Aires time"),
        ("Asia/Calcutta", "fr", "heure locale à Kolkata"),
        ("America/New_York", "es", "hora de Nueva York"),
        ("UTC", "de", "UTC"),
    ],
)
def test_a_zone_is_named_after_its_place(zone: str, language: str, words: str) -> None:
    with timezone.override(zone), translation.override(language):
        assert zone_words() == words


@pytest.mark.parametrize("name", ["", "EST", "GMT", "localtime", "Etc/GMT+5", "Europe", "Mars/North", "../etc/passwd"])
def test_a_zone_without_a_place_is_none(name: str) -> None:
    assert name not in zone_names()


def test_the_operators_day_is_the_same_for_every_reader() -> None:
    """The tests' operator is on Chatham, 13:45 ahead of UTC in November."""
    moment = datetime(2026, 11, 24, 10, 30, tzinfo=UTC)
    with timezone.override("Pacific/Pago_Pago"):
        assert operators_day(moment) == date(2026, 11, 25)
