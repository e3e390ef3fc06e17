"""The question whether two entries are one person or company, and what tells those of one name apart."""

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
    """`party` is the entry that was just saved, `other` the one that stays if both are one."""

    party: PartyRow
    other: PartyRow

    @property
    def question(self) -> str:
        """Whether both are one."""
        return roles.duplicate_question(self.other.kind)

    @property
    def sentence(self) -> str:
        """Who is there already, and as what."""
        return already_here(self.draft, self.other)

    @property
    def use(self) -> str:
        """The words of the button that makes one of both."""
        count = len(set(self.party.roles) - set(self.other.roles))
        if not count:
            return gettext("Keep only the first {name}").format(name=self.other.label)
        return ngettext("Give {name} this role too", "Give {name} these roles too", count, name=self.other.label)

    @property
    def new_roles(self) -> str:
        """The roles that the other one then gets."""
        return roles.role_words(role for role in self.party.roles if role not in self.other.roles)

    @cached_property
    def differing(self) -> list[tuple[str, str, str]]:
        """What both answer, and not the same, with what stays and what goes; numbers of shares among it."""
        fields = self.draft.schema.fields_of(self.party.kind, (*self.other.roles, *self.party.roles))
        found: list[tuple[str, str, str]] = []
        for spec in fields:
            if spec.name in self.party.raw and spec.name in self.other.raw:
                stays, goes = (answer_in_words(spec, one.raw[spec.name]) for one in (self.other, self.party))
                if stays != goes:
                    found.append((spec.label, stays, goes))
        for row in self.draft.share_classes:
            kept = self.draft.holdings.get((self.other.token, row.token))
            lost = self.draft.holdings.get((self.party.token, row.token))
            if kept and lost:
                label = gettext("“{name}” shares").format(name=row.label)
                found.append((label, number_of_shares(kept), number_of_shares(lost)))
        return found


def already_here(draft: Draft, row: PartyRow) -> str:
    """ "Ada Lovelace, born 10 December 1985, is already a director here." """
    said = {"name": row.label, "known": distinguishing_words(properties_of(draft, row))}
    if not row.roles:
        return gettext("{name}, {known}, is already in this application.").format(**said)
    return gettext("{name}, {known}, is already {roles} in this application.").format(
        roles=join_list([roles.with_article(role) for role in row.roles]),
        **said,
    )


def distinguishing_words(known: Mapping[str, Any]) -> str:
    """What tells those of one name apart: the registration number, else the date of birth, else the e-mail address."""
    born, number, country = known.get("date_of_birth"), known.get("registration_number"), known.get("country")
    if number:
        if country:
            return gettext("number {number} in {country}").format(number=number, country=country_name(country))
        return gettext("number {number}").format(number=number)
    if isinstance(born, date):
        return gettext("born {day}").format(day=long_date(born))
    return str(known.get("email", ""))
