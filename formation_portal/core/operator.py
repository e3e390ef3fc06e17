"""Whose portal it is: name, logo, accent colour, and where its customers ask for help, as the settings say.

Templates of pages read it by `{% operator as operator %}`, those of letters as `operator`.
"""

import re
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from babel.dates import get_day_names, get_timezone, get_timezone_location
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.utils.html import format_html
from django.utils.translation import get_language, gettext

from .colours import AA, Accent, nearest_readable

_DAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")
_SPAN = re.compile(r"(?P<first>\w\w)(?:-(?P<last>\w\w))? (?P<from>\d{1,2}:\d\d)-(?P<until>\d{1,2}:\d\d)")
LOGO_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


class Operator:
    """The settings, as pages, letters and the PDF show them. Whatever is not set is empty."""

    @property
    def name(self) -> str:
        return str(settings.OPERATOR_NAME)

    @property
    def email(self) -> str:
        return str(settings.HELP_EMAIL)

    @property
    def telephone(self) -> str:
        return str(settings.HELP_TELEPHONE)

    @property
    def telephone_link(self) -> str:
        """The number, as a link that dials it where it is written with its country code."""
        if not self.telephone.startswith("+"):
            return self.telephone
        return format_html('<a href="tel:{}">{}</a>', re.sub(r"[^+0-9]", "", self.telephone), self.telephone)

    @property
    def reply_days(self) -> int:
        """Working days within which questions are answered; 0 where that is not promised."""
        return int(settings.HELP_REPLY_DAYS)

    @property
    def has_help(self) -> bool:
        """Tell if customers can write to or call somebody."""
        return bool(self.email or self.telephone)

    @property
    def hours(self) -> str:
        """When somebody answers the telephone, in the page's language."""
        return hours_in_words(settings.HELP_HOURS, language=(get_language() or "en").partition("-")[0])

    @property
    def contact(self) -> str:
        """E-mail address and telephone on one line, for paper and the foot of letters."""
        return ", ".join(filter(None, (self.email, self.telephone)))

    @property
    def has_accent(self) -> bool:
        return bool(settings.OPERATOR_ACCENT)

    @property
    def accent(self) -> Accent:
        """Its own, or the portal's."""
        return _derived(settings.OPERATOR_ACCENT) if self.has_accent else Accent.of_house()

    @property
    def accent_digest(self) -> str:
        """Names the style sheet in its address, so that browsers may keep it."""
        return sha256(self.accent.css.encode()).hexdigest()[:12] if self.has_accent else ""

    @property
    def logo_path(self) -> Path | None:
        return Path(settings.OPERATOR_LOGO) if settings.OPERATOR_LOGO else None

    @property
    def logo_name(self) -> str:
        """What the logo is called in its address: a digest of its content, and its type."""
        path = self.logo_path
        return _logo_name(path, path.stat().st_mtime_ns) if path else ""

    @property
    def version(self) -> tuple[object, ...]:
        """Changes with whatever pages show of the operator."""
        help_texts = (self.email, self.telephone, self.reply_days, settings.HELP_HOURS)
        return (self.name, settings.OPERATOR_ACCENT, self.logo_name, *help_texts)


operator = Operator()


_derived = lru_cache(maxsize=4)(Accent.derived_from)


@lru_cache(maxsize=4)
def _logo_name(path: Path, _changed_at: int) -> str:
    return f"{sha256(path.read_bytes()).hexdigest()[:12]}{path.suffix.lower()}"


def parse_hours(written: str) -> tuple[list[re.Match[str]], str]:
    """The parts of `Mo-Th 08:00-18:00, Fr 08:00-16:00 Europe/London`, and the time zone. Raises ValueError."""
    listed, _, zone = written.strip().rpartition(" ")
    spans = [_SPAN.fullmatch(one.strip()) for one in listed.split(",")]
    try:
        get_timezone(zone)
    except LookupError:
        raise ValueError("should end with a time zone, like Europe/London") from None
    found = [one for one in spans if one and {one["first"].lower(), (one["last"] or "mo").lower()} <= set(_DAYS)]
    if len(found) < len(spans) or any(one["from"] > "24" or one["until"] > "24:00" for one in found):
        raise ValueError("should be like Mo-Fr 08:00-18:00 Europe/London, with commas between several")
    return found, zone


@lru_cache(maxsize=16)
def hours_in_words(written: str, *, language: str) -> str:
    """The same as a reader of the active language says it: "Monday to Friday, 8:00 to 18:00 London time"."""
    if not written:
        return ""
    spans, zone = parse_hours(written)
    names = get_day_names("wide", locale=language)

    def day(code: str) -> str:
        return str(names[_DAYS.index(code.lower())])

    said = []
    for span in spans:
        words = {"day": day(span["first"]), "from": _time(span["from"]), "until": _time(span["until"])}
        if span["last"]:
            words["last"] = day(span["last"])
            said.append(gettext("%(day)s to %(last)s, %(from)s to %(until)s") % words)
        else:
            said.append(gettext("%(day)s, %(from)s to %(until)s") % words)
    place = get_timezone_location(zone, locale=language, return_city=True)
    return gettext("%(hours)s %(place)s time") % {"hours": "; ".join(said), "place": place}


def _time(written: str) -> str:
    return written.removeprefix("0") if len(written) == len("00:00") else written


def check_accent(**_: Any) -> list[CheckMessage]:
    """Whether text in the accent can be read on every ground, and words on a button of it, in both themes."""
    colour = settings.OPERATOR_ACCENT
    faults = list(Accent.derived_from(colour).faults()) if colour else []
    if not faults:
        return []
    return [
        Error(
            f"OPERATOR_ACCENT: text needs a contrast of {AA}:1. " + "; ".join(faults[:3]),
            hint=f"The nearest colour that can be read is {nearest_readable(colour)}.",
            id="formation_portal.E001",
        )
    ]
