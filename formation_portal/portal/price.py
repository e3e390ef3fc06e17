"""What an application's product costs, as its catalog said when the application was started."""

from dataclasses import dataclass

from babel.numbers import get_currency_name

from formation_portal.applications.models import Application
from formation_portal.contract.catalog import Price
from formation_portal.contract.language import locale, say
from formation_portal.portal.money import figure


def price_of(application: Application) -> Price:
    """The kept price; one that the catalog did not name is not given."""
    return Price.model_validate(application.product.get("price") or {})


@dataclass(frozen=True, slots=True)
class Figure:
    """One fact at a glance."""

    term: str
    value: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a ledger."""

    label: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class PriceTable:
    """What it costs, line by line, in one currency."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, str], ...]


def price_table(price: Price) -> PriceTable:
    """The price as a table: once, and each year."""
    currency = get_currency_name(price.currency, count=2, locale=locale()) if price.currency else say("Amount")
    return PriceTable(
        caption=say("Price in {currency}", currency=currency) if price.currency else say("Price"),
        columns=(Column(f"{currency[0].upper()}{currency[1:]}", is_number=False), Column(say("Price"), is_number=True)),
        rows=(
            (say("Set-up fee, paid once"), figure(price.one_off, price.currency)),
            (say("Annual fee"), figure(price.annual, price.currency)),
        ),
    )
