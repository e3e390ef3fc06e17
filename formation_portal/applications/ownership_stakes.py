"""Stakes in the companies that hold shares, and the thresholds for beneficial owners (`thresholds.yaml`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field

from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.localisation import month_and_year
from formation_portal.contract.needs import Need
from formation_portal.contract.ownership import (
    Stakes,
    Threshold,
    format_hundredths,
    format_percent,
    parse_stake,
    with_rest,
)

from .draft import Draft
from .models import Stake
from .parties import PartyRow

_THRESHOLDS_FILE = Path(__file__).with_name("thresholds.yaml")

# In the history, a stake's name is this prefix and the owner's token.
OWNER_PREFIX = "owner/"

# Stakes as typed, by the tokens of company and owner.
TypedStakes = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Owner:
    """An owner of a company, with the stake as typed, as a fraction and in percent, or the parsing problem."""

    company: PartyRow
    party: PartyRow
    typed: str
    part: Fraction | None
    problem: str
    percent: str = ""

    @property
    def words(self) -> str:
        """Write the stake, like "40% of Kite Holding"; as typed if it cannot be parsed."""
        if self.part is None:
            return gettext("“{typed}” of {name}, which we can’t read").format(typed=self.typed, name=self.company.label)
        return gettext("{part} of {name}").format(part=self.percent, name=self.company.label)


def typed_stakes(draft: Draft) -> dict[tuple[str, str], str]:
    """Return all stakes as typed, without those of removed parties. One SQL query, none for an unsaved draft."""
    if draft.application.pk is None:
        return {}
    rows = draft.application.stakes.filter(company__removed_at=None, owner__removed_at=None)
    named = rows.values_list("company__token", "owner__token", "typed", "application", "row")
    opened = Stake._meta.get_field("typed").opened
    return {(company, owner): opened(typed, *bound) for company, owner, typed, *bound in named}


def owners_of(draft: Draft, company: PartyRow, typed: TypedStakes) -> tuple[Owner, ...]:
    """Return the owners of a company in the order of entry, with percentages rounded so that they add up."""
    owners: list[Owner] = []
    for (owned, token), text in typed.items():
        party = draft.party(token)
        if owned != company.token or party is None:
            continue
        part, problem = None, ""
        try:
            part = None if is_blank(text) else parse_stake(text, of=f"{company.label}, {party.label}")
        except AnswerError as error:
            problem = error.message
        owners.append(Owner(company, party, text, part, problem))
    parts = [owner.part for owner in owners if owner.part is not None]
    percentages = map(format_hundredths, with_rest(parts)[0])
    if exceed_whole(parts):
        percentages = map(format_percent, parts)
    for place, owner in enumerate(owners):
        if owner.part is not None:
            owners[place] = replace(owner, percent=next(percentages))
    return tuple(owners)


def owned_companies(draft: Draft, typed: TypedStakes) -> tuple[PartyRow, ...]:
    companies = draft.parties_of({company for company, _ in typed})
    return tuple(company for company in companies if company.is_owned)


def exceed_whole(parts: Iterable[Fraction | None]) -> bool:
    """Tell whether the stakes in a company exceed 100% in total. An unreadable stake is None and adds nothing."""
    return sum(filter(None, parts), Fraction(0)) > 1


def needs_of_owners(draft: Draft) -> tuple[Need, ...]:
    """Return a need (it prevents submission) for each company whose stakes exceed 100% in total. One SQL query."""
    section = draft.schema.share_section
    if section is None or not draft.holds_shares:
        return ()
    typed, needs = typed_stakes(draft), []
    for company in owned_companies(draft, typed):
        if exceed_whole(owner.part for owner in owners_of(draft, company, typed)):
            text = gettext("{name}: correct the shares. They must not exceed 100%").format(name=company.label)
            needs.append(Need("owners_exceeded", text, section.key, party_id=company.token))
    return tuple(needs)


def known_stakes(draft: Draft, typed: TypedStakes) -> Stakes:
    """Return the stakes that can be parsed, by company and owner, without companies whose stakes exceed 100%."""
    stakes: dict[str, dict[str, Fraction]] = {}
    for company in owned_companies(draft, typed):
        parts = {owner.party.token: owner.part for owner in owners_of(draft, company, typed) if owner.part}
        if parts and not exceed_whole(parts.values()):
            stakes[company.token] = parts
    return stakes


def companies_owned_by(draft: Draft, party: PartyRow, typed: TypedStakes) -> tuple[PartyRow, ...]:
    rows = draft.parties_by_token
    return tuple(rows[company] for company, owner in typed if owner == party.token and company in rows)


class _ThresholdEntry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    percent: float = Field(gt=0, lt=100)
    counts: Literal["from", "above"]
    source: str = Field(min_length=1)
    where: str = ""


class _Thresholds(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    seen: date
    general: _ThresholdEntry
    places: dict[str, _ThresholdEntry]


def threshold_of(jurisdiction: dict[str, Any]) -> Threshold:
    """Return a jurisdiction's threshold, or the general one if none is known for its ISO code."""
    thresholds = _thresholds()
    own = thresholds.places.get(str(jurisdiction.get("iso_code", "")))
    entry = own or thresholds.general
    return Threshold(
        percent=Fraction(str(entry.percent)),
        is_inclusive=entry.counts == "from",
        where=gettext(entry.where) if entry.where else str(jurisdiction.get("name") or gettext("this jurisdiction")),
        source=gettext("{source}; checked {month}").format(source=entry.source, month=month_and_year(thresholds.seen)),
        is_known=own is not None,
    )


@cache
def _thresholds() -> _Thresholds:
    return _Thresholds.model_validate(yaml.safe_load(_THRESHOLDS_FILE.read_text(encoding="utf-8")))
