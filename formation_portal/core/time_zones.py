"""The operator's time zone (TIME_ZONE), which counts for all that is stored or judged, and names of zones for people.

`accounts/time_zones.py` renders customers' pages in the reader's own zone.
"""

from datetime import date, datetime
from functools import cache, lru_cache
from zoneinfo import available_timezones

from babel.dates import get_timezone_location
from django.utils import timezone
from django.utils.translation import get_language, gettext

_UTC = "UTC"


@cache
def zone_names() -> frozenset[str]:
    """Return UTC and the zones that are named after a place, like Europe/Zurich, but neither EST nor Etc/GMT+5."""
    places = {name for name in available_timezones() if "/" in name and not name.startswith("Etc/")}
    return frozenset({_UTC, *places})


def operators_day(moment: datetime | None = None) -> date:
    """Return the day of a moment, or today, in the operator's zone, whoever reads the page."""
    return timezone.localdate(moment, timezone.get_default_timezone())


def zone_words() -> str:
    """Name the current time zone in the reader's language: "Zurich time", or "UTC"."""
    return _zone_words(timezone.get_current_timezone_name(), get_language() or "en")


@lru_cache(maxsize=500)
def _zone_words(zone: str, language: str) -> str:
    if zone == _UTC:
        return zone
    return gettext("%(place)s time") % {"place": place_of(zone, language)}


def place_of(zone: str, language: str) -> str:
    """Return the city of a time zone in a language; "Buenos Aires" for America/Argentina/Buenos_Aires."""
    city = get_timezone_location(zone, locale=language.partition("-")[0], return_city=True)
    return str(city).rpartition("/")[2]
