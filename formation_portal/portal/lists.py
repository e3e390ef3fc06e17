"""The two lists that stand beside questions: what is wrong, and what is still needed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from formation_portal.contract.needs import Need
from formation_portal.portal.options import Problem

from .sheet import Sheet
from .slot_keys import name_in, slot_id, slot_key


@dataclass(frozen=True, slots=True)
class NeedRow:
    """One line of a needs list, with the way to mend it."""

    text: str
    url: str


def file_problems(refused: Mapping[str, str]) -> tuple[Problem, ...]:
    """The files that were not taken, by the key of their slot, each with the way to its slot."""
    return tuple(Problem(slot_id(key), f"{name_in(key)}: {message}") for key, message in refused.items())


def need_rows(needs: Iterable[Need], sheet: Sheet | None = None, *, about: str = "") -> tuple[NeedRow, ...]:
    """What is needed of a page that asks the sheet's questions: each line leads to its control.

    `about` is whom the page is about: their name need not begin each line there.
    """
    return tuple(NeedRow(_without(need.text, f"{about}: "), _place(need, sheet)) for need in needs)


def _without(text: str, prefix: str) -> str:
    if not text.startswith(prefix):
        return text
    rest = text.removeprefix(prefix)
    return rest[:1].upper() + rest[1:]


def _place(need: Need, sheet: Sheet | None) -> str:
    if need.slot:
        return f"#{slot_id(slot_key(need.party_id, need.slot))}"
    found = sheet.id_of(need.field) if sheet and need.field else ""
    return f"#{found}" if found else ""
