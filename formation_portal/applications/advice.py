"""List the advice that a customer left standing, for the check page and the desk (INTERFACE.md, "Advice")."""

from formation_portal.contract.advice import Advice, advice_of

from .draft import Draft


def standing_advice(draft: Draft) -> tuple[Advice, ...]:
    return advice_of(draft.form_state)
