"""Ask whether two parties are the same, and describe what distinguishes parties of the same name."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from django.utils.translation import gettext

from formation_portal.applications.contacts import properties_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import answer_in_words, number_of_shares
from formation_portal.contract.fields.iso_codes import country_name
from formation_portal.contract.localisation import join_list, long_date, ngettext
from formation_portal.ui import roles

from ..pages import ApplicationPage


@dataclass(frozen=True)
class DuplicatePage(ApplicationPage):
    """The question whether two parties are the same: `party` was just saved, `other` stays if they are merged."""

    party: PartyRow
    other: PartyRow

    @property
    def question(self) -> str:
        return roles.duplicate_question(self.other.kind)

    @property
    def sentence(self) -> str:
        return already_here(self.draft, self.other)

    @property
    def merge_label(self) -> str:
        """Return the label of the button that merges both."""
        count = len(set(self.party.roles) - set(self.other.roles))
        if not count:
            return gettext("Keep only the first {name}").format(name=self.other.label)
        return ngettext("Give {name} this role too", "Give {name} these roles too", count, name=self.other.label)

    @property
    def new_roles(self) -> str:
        """Return the roles that the other party gets."""
        return roles.role_words(role for role in self.party.roles if role not in self.other.roles)

    @cached_property
    def differing(self) -> list[tuple[str, str, str]]:
        """Return the answers and shareholdings of both that differ: label, value that stays, value that is lost."""
        rows: list[tuple[str, str, str]] = []
        for spec in self.draft.schema.fields_of(self.party.kind, (*self.other.roles, *self.party.roles)):
            if spec.name in self.party.raw and spec.name in self.other.raw:
                value = answer_in_words(spec, self.other.raw[spec.name])
                lost_value = answer_in_words(spec, self.party.raw[spec.name])
                if value != lost_value:
                    rows.append((spec.label, value, lost_value))
        for share_class in self.draft.share_classes:
            holding = self.draft.holdings.get((self.other.token, share_class.token))
            lost_holding = self.draft.holdings.get((self.party.token, share_class.token))
            if holding and lost_holding:
                label = gettext("“{name}” shares").format(name=share_class.label)
                rows.append((label, number_of_shares(holding), number_of_shares(lost_holding)))
        return rows


def already_here(draft: Draft, row: PartyRow) -> str:
    """Say that a party has been added already: "Ada Lovelace, born 10 December 1985, is already a director here."."""
    values = {"name": row.label, "known": distinguishing_words(properties_of(draft, row))}
    if not row.roles:
        return gettext("{name}, {known}, is already in this application.").format(**values)
    values["roles"] = join_list([roles.with_article(role) for role in row.roles])
    return gettext("{name}, {known}, is already {roles} in this application.").format(**values)


def distinguishing_words(properties: Mapping[str, Any]) -> str:
    """Describe a party by its registration number, else by its date of birth, else by its e-mail address."""
    number = properties.get("registration_number")
    country = properties.get("country")
    if number and country:
        return gettext("number {number} in {country}").format(number=number, country=country_name(country))
    if number:
        return gettext("number {number}").format(number=number)
    birth_date = properties.get("date_of_birth")
    if isinstance(birth_date, date):
        return gettext("born {day}").format(day=long_date(birth_date))
    return str(properties.get("email", ""))
