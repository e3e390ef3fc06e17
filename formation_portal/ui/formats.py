"""Days, times, sizes, counts and prices as people read them, and the language that schemas are written in."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal, Protocol

from babel.numbers import format_decimal, get_currency_name
from django.conf import settings
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext

from formation_portal.applications.models import Application
from formation_portal.contract import localisation
from formation_portal.contract.catalog import Price
from formation_portal.contract.fields.iso_codes import format_amount
from formation_portal.contract.localisation import ngettext
from formation_portal.core.time_zones import zone_words


def day(value: date | datetime) -> str:
    """Write a day like "24 November 2026", with no-break spaces. A moment's day is that in the current time zone."""
    return localisation.long_date(timezone.localdate(value) if isinstance(value, datetime) else value)


def day_and_time(value: datetime) -> str:
    """Write a moment like "24 November at 14:02", with the year unless it is this year. The day is never left out."""
    local = timezone.localtime(value)
    date_words = day(value)
    if local.year == timezone.localdate().year:
        date_words = localisation.day_and_month(local.date())
    return gettext("%(day)s at %(time)s") % {"day": date_words, "time": f"{local:%H:%M}"}


def full_date_and_time(value: datetime) -> str:
    local = timezone.localtime(value)
    return f"{day(value)}, {local:%H:%M}"


def zoned_date_and_time(value: datetime) -> str:
    """Write a moment for paper and for proofs: "24 November 2026, 14:02 (Zurich time)"."""
    return f"{full_date_and_time(value)} ({zone_words()})"


def date_range(first: date, last: date) -> str:
    """Write a range of days like "24 to 26 November 2026"; one day if both are the same."""
    if first == last:
        return day(first)
    days = {"first": day(first), "last": day(last)}
    if first.year == last.year:
        days["first"] = localisation.day_and_month(first)
        if first.month == last.month and localisation.get_language() == "en":
            days["first"] = str(first.day)
    return gettext("%(first)s to %(last)s") % days


def file_size(octets: int) -> str:
    """Write a size like "240 kB" or "1.4 MB", in French "240 ko"; kB is 1,000 bytes."""
    byte = "o" if localisation.get_language() == "fr" else "B"
    if octets < 1_000_000:
        return f"{max(1, round(octets / 1_000))}\u00a0k{byte}"
    return f"{format_decimal(octets / 1_000_000, '0.0', locale=localisation.locale())}\u00a0M{byte}"


_ENTITY_WORDS = {"Corporation": "company", "Foundation": "foundation"}


def counted(number: int, singular: str, plural: str) -> str:
    return ngettext(singular, plural, number) if number else ""


def listed(items: Sequence[str], last: Literal["and", "or"] = "and") -> str:
    return localisation.join_list(items, last)


def entity_word(product_type: str) -> str:
    return _ENTITY_WORDS.get(product_type, "entity")


class TextSource(Protocol):
    """The source of texts of the service: a form or a part of it, a catalog item, an application."""

    def language_of(self, text: str) -> str: ...


def foreign_language(text: str, source: TextSource | None) -> str:
    """Return the language of a text of the service if it is not the page's language, else ""."""
    language = (source.language_of(text) if source else "") or str(settings.CATALOG_LANGUAGE)
    return "" if language.partition("-")[0] == localisation.get_language() else language


def schema_language() -> str:
    return foreign_language("", None)


def application_price(application: Application) -> Price:
    return Price.model_validate(application.product.get("price") or {})


class PriceTable:
    def __init__(self, price: Price) -> None:
        currency = gettext("Amount")
        self.caption = gettext("Price")
        if price.currency:
            currency = get_currency_name(price.currency, count=2, locale=localisation.locale())
            self.caption = localisation.gettext("Price in {currency}", currency=currency)
        # The currency heads the column of fee names.
        self.columns = (capfirst(currency), gettext("Price"))
        self.rows = (
            (gettext("Set-up fee, paid once"), format_amount(price.one_off, price.currency)),
            (gettext("Annual fee"), format_amount(price.annual, price.currency)),
        )
