"""The operator's name, logo, accent and help desk, as in the settings. Templates use `{% operator as operator %}`."""

import re
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from babel.dates import get_day_names, get_timezone
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.utils.html import format_html
from django.utils.translation import get_language, gettext

from .colours import AA, Accent, nearest_readable
from .time_zones import place_of

_DAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")
_SPAN = re.compile(r"(?P<first>\w\w)(?:-(?P<last>\w\w))? (?P<from>\d{1,2}:\d\d)-(?P<until>\d{1,2}:\d\d)")
LOGO_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


class _Setting:
    """An attribute with the present value of a setting."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, operator: object, _: object = None) -> Any:
        return getattr(settings, self._name)


class Operator:
    """The operator's settings as pages, e-mails and the PDF show them. A missing setting is empty."""

    name = _Setting("OPERATOR_NAME")
    email = _Setting("HELP_EMAIL")
    telephone = _Setting("HELP_TELEPHONE")
    # The working days until a reply. With 0, no time is promised.
    reply_days = _Setting("HELP_REPLY_DAYS")
    accent_colour = _Setting("OPERATOR_ACCENT")
    # The path of the logo's file.
    logo = _Setting("OPERATOR_LOGO")

    @property
    def telephone_link(self) -> str:
        """Return the telephone number, as a link if it has a country code."""
        if not self.telephone.startswith("+"):
            return str(self.telephone)
        return format_html('<a href="tel:{}">{}</a>', re.sub(r"[^+0-9]", "", self.telephone), self.telephone)

    @property
    def has_help(self) -> bool:
        return bool(self.email or self.telephone)

    @property
    def hours(self) -> str:
        return hours_in_words(settings.HELP_HOURS, language=(get_language() or "en").partition("-")[0])

    @property
    def contact(self) -> str:
        return ", ".join(filter(None, (self.email, self.telephone)))

    @property
    def accent(self) -> Accent:
        return _derived_accent(self.accent_colour) if self.accent_colour else Accent.of_portal()

    @property
    def accent_digest(self) -> str:
        """Return a digest for the URL of the accent's style sheet, which browsers may cache; "" for no own accent."""
        return sha256(self.accent.css.encode()).hexdigest()[:12] if self.accent_colour else ""

    @property
    def logo_name(self) -> str:
        """Return the file name in the logo's URL: a digest of the file and its suffix; "" without a logo."""
        return _logo_name(self.logo, Path(self.logo).stat().st_mtime_ns) if self.logo else ""

    @property
    def version(self) -> tuple[object, ...]:
        """Return a cache key that changes whenever pages show the operator differently."""
        help_texts = (self.email, self.telephone, self.reply_days, settings.HELP_HOURS)
        return (self.name, self.accent_colour, self.logo_name, *help_texts)


operator = Operator()


_derived_accent = lru_cache(maxsize=4)(Accent.derived_from)


@lru_cache(maxsize=4)
def _logo_name(logo: str, _changed_at: int) -> str:
    path = Path(logo)
    return f"{sha256(path.read_bytes()).hexdigest()[:12]}{path.suffix.lower()}"


def parse_hours(text: str) -> tuple[list[re.Match[str]], str]:
    """Return the spans of `Mo-Th 08:00-18:00, Fr 08:00-16:00 Europe/London`, and the time zone. Raises ValueError."""
    listed, _, zone = text.strip().rpartition(" ")
    try:
        get_timezone(zone)
    except LookupError:
        raise ValueError("should end with a time zone, like Europe/London") from None
    spans = []
    for part in listed.split(","):
        span = _SPAN.fullmatch(part.strip())
        if span is None or not _is_valid(span):
            raise ValueError("should be like Mo-Fr 08:00-18:00 Europe/London, with commas between several")
        spans.append(span)
    return spans, zone


def _is_valid(span: re.Match[str]) -> bool:
    days = {span["first"].lower(), (span["last"] or span["first"]).lower()}
    return days <= set(_DAYS) and span["from"] <= "24" and span["until"] <= "24:00"


@lru_cache(maxsize=16)
def hours_in_words(text: str, *, language: str) -> str:
    """Describe the hours in the active language: "Monday to Friday, 8:00 to 18:00 London time"."""
    if not text:
        return ""
    spans, zone = parse_hours(text)
    day_names = get_day_names("wide", locale=language)
    descriptions = []
    for span in spans:
        values = {
            "day": str(day_names[_DAYS.index(span["first"].lower())]),
            "from": _without_leading_zero(span["from"]),
            "until": _without_leading_zero(span["until"]),
        }
        if span["last"]:
            values["last"] = str(day_names[_DAYS.index(span["last"].lower())])
            descriptions.append(gettext("%(day)s to %(last)s, %(from)s to %(until)s") % values)
        else:
            descriptions.append(gettext("%(day)s, %(from)s to %(until)s") % values)
    return gettext("%(hours)s %(place)s time") % {"hours": "; ".join(descriptions), "place": place_of(zone, language)}


def _without_leading_zero(time: str) -> str:
    hours, _, minutes = time.partition(":")
    return f"{int(hours)}:{minutes}"


def check_accent(**_: Any) -> list[CheckMessage]:
    """Check the contrast of text in the accent on every background, and of text on its buttons, in both themes."""
    faults = list(operator.accent.faults())
    if not faults:
        return []
    return [
        Error(
            f"OPERATOR_ACCENT: text needs a contrast of {AA}:1. " + "; ".join(faults[:3]),
            hint=f"The nearest colour that can be read is {nearest_readable(operator.accent_colour)}.",
            id="formation_portal.E001",
        )
    ]
