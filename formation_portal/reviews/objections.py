"""What speaks against an approval: nobody may approve what was not checked."""

from collections.abc import Iterator
from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.core import subscribers

from .facts import CHANGED, QUERIED, Facts
from .places import WHOLE, Place


@dataclass(frozen=True, slots=True)
class Objection:
    """One thing that speaks against it: where, whose it is, and what."""

    place: Place
    whose: str
    text: str


_SAID = {QUERIED: "{label}: open query", CHANGED: "{label}: changed since accepted"}


def objections(draft: Draft, facts: Facts) -> tuple[Objection, ...]:
    """Everything that has to be done before an approval, in the order of the application; then what others say, which
    is one query."""
    return (*_objections(draft, facts), *subscribers.approval_blockers(draft))


def _objections(draft: Draft, facts: Facts) -> Iterator[Objection]:
    for need in draft.needs:
        yield Objection(WHOLE, "", f"To complete: {need.text}")
    for sheet in facts.sheets:
        for fact in sheet.facts:
            if not fact.is_done:
                said = _SAID.get(fact.state, "{label}: not checked").format(label=fact.label)
                yield Objection(fact.place, sheet.title if sheet.token else "", said)
    checked = {fact.place for fact in facts}
    for place, remark in facts.remarks.items():
        if place not in checked:
            yield Objection(place, "", f"{remark.label or 'The application'}: open query")
