"""The question whether two entries are the same person or company: what both say, and what becomes of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from django.urls import reverse

from formation_portal.applications.doubles import properties_of
from formation_portal.applications.drafts import Draft
from formation_portal.applications.rows import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.world import country_name

from .roles import any_of, role_words
from .words import in_words, number_of_shares


@dataclass(frozen=True, slots=True)
class Differing:
    """One answer that the two give differently."""

    label: str
    stays: str
    goes: str


@dataclass(frozen=True)
class DoublePage:
    """`party` is the entry that was just saved, `other` the one that stays if both are one."""

    draft: Draft
    party: PartyRow
    other: PartyRow

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def word(self) -> str:
        """Person, company or foundation."""
        return canonical.KIND_WORDS[self.other.kind]

    @property
    def sentence(self) -> str:
        """Who is there already, and as what."""
        return already_here(self.draft, self.other)

    @property
    def use(self) -> str:
        """The words of the button that makes one of both."""
        count = len(set(self.party.roles) - set(self.other.roles))
        if not count:
            return f"Use only the first {self.other.label}"
        return f"Give {self.other.label} {'this role' if count == 1 else 'these roles'} too"

    @property
    def new_roles(self) -> str:
        """The roles that the other one then gets."""
        return role_words(role for role in self.party.roles if role not in self.other.roles)

    @cached_property
    def differing(self) -> tuple[Differing, ...]:
        """What both answer, and not the same; numbers of shares among it."""
        fields = self.draft.schema.fields_of(self.party.kind, (*self.other.roles, *self.party.roles))
        both = (spec for spec in fields if spec.name in self.party.raw and spec.name in self.other.raw)
        told = (
            Differing(spec.label, in_words(spec, self.other.raw[spec.name]), in_words(spec, self.party.raw[spec.name]))
            for spec in both
        )
        return (*(one for one in told if one.stays != one.goes), *self._shares())

    def _shares(self) -> tuple[Differing, ...]:
        holdings = self.draft.holdings
        pairs = (
            (row.label, holdings.get((self.other.token, row.token)), holdings.get((self.party.token, row.token)))
            for row in self.draft.share_classes
        )
        return tuple(
            Differing(f"“{label}” shares", number_of_shares(stays), number_of_shares(goes))
            for label, stays, goes in pairs
            if stays and goes
        )

    @property
    def people_url(self) -> str:
        return reverse("portal:people", args=[self.draft.application.reference])


def already_here(draft: Draft, row: PartyRow) -> str:
    """ "Ada Lovelace, born 10 December 1985, is already a director here." """
    words = [canonical.role_word(role) for role in row.roles]
    roles = any_of([f"{'an' if word[:1] in tuple('aeiou') else 'a'} {word}" for word in words]).replace(" or ", " and ")
    known = known_by(properties_of(draft, row))
    return f"{row.label}, {known}, is already {roles} here." if roles else f"{row.label}, {known}, is already here."


def known_by(known: Mapping[str, Any]) -> str:
    """What tells those of one name apart: the registration number, else the date of birth, else the e-mail address."""
    born, number, country = known.get("date_of_birth"), known.get("registration_number"), known.get("country")
    if number:
        return f"number {number}{f' in {country_name(country)}' if country else ''}"
    if isinstance(born, date):
        return f"born {born.day}\u00a0{born:%B}\u00a0{born.year}"
    return str(known.get("email", ""))
