"""Who is there already: the parties of the application, and the rows above in the same sheet."""

from dataclasses import dataclass
from typing import Any

from formation_portal.contract.identity import Identity, folded_name, identity, may_be_one

from ..doubles import properties_of
from ..drafts import Draft
from ..rows import PartyRow


@dataclass(frozen=True, slots=True)
class Twin:
    """Who seems to be the same: a party that is here, or one that a row of the sheet would make."""

    party: PartyRow
    row: int | None


@dataclass(frozen=True, slots=True)
class _Entry:
    twin: Twin
    told: dict[str, Any]


class Present:
    """Finds who may be one without comparing everybody with everybody."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._by_identity: dict[Identity, Twin] = {}
        self._by_name: dict[tuple[str, str], list[_Entry]] = {}
        for row in draft.parties:
            self.add(row, None)

    def add(self, party: PartyRow, number: int | None) -> None:
        """One more who is there, by the number of its row where it is one of the sheet's."""
        told, twin = self._told(party), Twin(party, number)
        if (known := identity(party.kind, told)) is not None:
            self._by_identity.setdefault(known, twin)
        if name := folded_name(told):
            self._by_name.setdefault((party.kind, name), []).append(_Entry(twin, told))

    def twin(self, party: PartyRow) -> Twin | None:
        """Who the party may well be: the same identity, or the same name with nothing that speaks against it."""
        told = self._told(party)
        known = identity(party.kind, told)
        if known in self._by_identity:
            return self._by_identity[known]
        namesakes = self._by_name.get((party.kind, folded_name(told)), [])
        return next((one.twin for one in namesakes if may_be_one(party.kind, told, one.told)), None)

    def _told(self, party: PartyRow) -> dict[str, Any]:
        told = properties_of(self._draft, party)
        return told | {"email": told["email"].casefold()} if isinstance(told.get("email"), str) else told
