"""Sums of money as people read them: the currency first, a no-break space, and decimals only where there are any."""

from decimal import Decimal

from babel.numbers import format_currency

from formation_portal.contract.language import locale


def money(amount: Decimal, currency: str) -> str:
    """USD 1,650, with a no-break space. A price without a currency shows its figure alone."""
    return f"{currency}\u00a0{figure(amount, currency)}" if currency else figure(amount, currency)


def figure(amount: Decimal, currency: str) -> str:
    """1,650, or 99.50 where the amount has a fraction, in the currency's minor units."""
    if amount == amount.to_integral_value():
        return str(format_currency(amount, currency, "#,##0", locale=locale(), currency_digits=False))
    return str(format_currency(amount, currency, "#,##0.00", locale=locale()))
