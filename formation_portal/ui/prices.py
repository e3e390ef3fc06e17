"""Sums of money as people read them, and what a product costs.

The currency comes first, with a no-break space; decimals only where an amount has any.
"""

from dataclasses import dataclass
from decimal import Decimal

from babel.numbers import format_currency, get_currency_name

from formation_portal.applications.models import Application
from formation_portal.contract.catalog import Price
from formation_portal.contract.localisation import gettext, locale


def money(amount: Decimal, currency: str) -> str:
    """USD 1,650, with a no-break space. A price without a currency shows its figure alone."""
    return f"{currency}\u00a0{plain_amount(amount, currency)}" if currency else plain_amount(amount, currency)


def plain_amount(amount: Decimal, currency: str) -> str:
    """1,650, or 99.50 where the amount has a fraction, in the currency's minor units."""
    if amount == amount.to_integral_value():
        return str(format_currency(amount, currency, "#,##0", locale=locale(), currency_digits=False))
    return str(format_currency(amount, currency, "#,##0.00", locale=locale()))


def application_price(application: Application) -> Price:
    """The kept price; one that the catalog did not name is not given."""
    return Price.model_validate(application.product.get("price") or {})


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One fact at a glance."""

    term: str
    value: str
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class LedgerColumn:
    """A column of a ledger."""

    label: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class PriceTable:
    """What it costs, line by line, in one currency."""

    caption: str
    columns: tuple[LedgerColumn, ...]
    rows: tuple[tuple[str, str], ...]


def price_table(price: Price) -> PriceTable:
    """The price as a table: once, and each year."""
    currency = get_currency_name(price.currency, count=2, locale=locale()) if price.currency else gettext("Amount")
    return PriceTable(
        caption=gettext("Price in {currency}", currency=currency) if price.currency else gettext("Price"),
        columns=(
            LedgerColumn(f"{currency[0].upper()}{currency[1:]}", is_number=False),
            LedgerColumn(gettext("Price"), is_number=True),
        ),
        rows=(
            (gettext("Set-up fee, paid once"), plain_amount(price.one_off, price.currency)),
            (gettext("Annual fee"), plain_amount(price.annual, price.currency)),
        ),
    )
