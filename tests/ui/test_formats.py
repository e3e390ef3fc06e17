"""Times as people read them."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone, translation

from formation_portal.ui.formats import day, day_and_time, file_size, full_date_and_time, zoned_date_and_time


@pytest.fixture(autouse=True)
def _past_midnight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 25, 0, 10, tzinfo=UTC))


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (datetime(2026, 11, 24, 23, 55, tzinfo=UTC), "24 November at 23:55"),
        (datetime(2025, 11, 24, 23, 55, tzinfo=UTC), "24 November 2025 at 23:55"),
    ],
)
def test_a_time_is_never_said_without_its_day(at: datetime, words: str) -> None:
    with timezone.override(UTC):
        assert day_and_time(at).replace("\u00a0", " ") == words
        with translation.override("de"):
            assert day_and_time(at).startswith("24.\u00a0November")


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ("Pacific/Chatham", "25 November 2026, 00:15"),
        ("Pacific/Pago_Pago", "23 November 2026, 23:30"),
    ],
)
def test_the_day_of_a_moment_is_that_of_the_time_zone(zone: str, words: str) -> None:
    moment = datetime(2026, 11, 24, 10, 30, tzinfo=UTC)
    with timezone.override(zone):
        assert full_date_and_time(moment).replace("\u00a0", " ") == words
        assert day(moment).replace("\u00a0", " ") == words.partition(",")[0]


def test_on_paper_a_moment_names_its_zone() -> None:
    with timezone.override("Europe/Zurich"), translation.override("de"):
        moment = zoned_date_and_time(datetime(2026, 11, 24, 13, 2, tzinfo=UTC))
        assert moment.replace("\u00a0", " ") == "24. November 2026, 14:02 (Ortszeit Zürich)"


@pytest.mark.parametrize(
    ("language", "sizes"),
    [("en", ["1\u00a0kB", "240\u00a0kB", "1.4\u00a0MB"]), ("fr", ["1\u00a0ko", "240\u00a0ko", "1,4\u00a0Mo"])],
)
def test_a_files_size_has_the_languages_own_units(language: str, sizes: list[str]) -> None:
    with translation.override(language):
        assert [file_size(octets) for octets in (20, 240_400, 1_440_000)] == sizes
