"""Who is the same person or company: contacts from a customer's applications, and duplicates within one application.

A contact is one of the people and companies of their applications, each once, with the newest answers. Contacts hold
canonical answers only, by property, so that they mean the same in any form. Nothing links an application
to where its people were copied from.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db.models import QuerySet

from formation_portal.contract import canonical
from formation_portal.contract.canonical import Identity, canonical_properties, identity, may_be_same, normalised_name
from formation_portal.contract.fields import parsing
from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.contract.fields.values import AnswerError

from .draft import Draft
from .models import Application, Party
from .parties import PartyRow

# So many of the newest entries are looked at, in so many of the latest applications; older ones are typed again.
MAX_PARTIES_READ = 100
MAX_APPLICATIONS_READ = 20
OWNER = "me"


def latest_applications(owner: int) -> QuerySet[Any, Any]:
    """The keys of the customer's applications whose people and files can be used again: what a page costs doesn't grow
    with the others."""
    there = Application.objects.filter(owner=owner, deleted_at=None)
    return there.order_by("-pk").values("pk")[:MAX_APPLICATIONS_READ]


# Canonical names of a party begin with its kind, or with this (supplement, "Parties").
_ANY_KIND = "party"


@dataclass(frozen=True, slots=True)
class Contact:
    """A person or company with answers as typed, by canonical property. `sources` are the entries they come from."""

    sources: tuple[str, ...]
    kind: str
    answers: Mapping[str, Any]

    @property
    def is_owner(self) -> bool:
        """Whether it is the customer themselves."""
        return OWNER in self.sources

    @property
    def label(self) -> str:
        """Its name."""
        return canonical.label_of(self.identifying_values)

    @property
    def identifying_values(self) -> dict[str, Any]:
        """The values that identify it: name, e-mail address, date of birth."""
        return _identifying_values(self.answers)


def contacts(user: AbstractUser, draft: Draft) -> tuple[Contact, ...]:
    """The customer first, where the account has a name, then the parties of their other applications. One query."""
    known = _merge(_entries(user, draft.application))
    if not user.get_full_name():
        return known
    me, entry = _owner_contact(user, known)
    return (me, *(one for one in known if one is not entry))


def _merge(entries: Iterable[Contact]) -> tuple[Contact, ...]:
    """Each contact once, the newest first; entries come in that order."""
    known: dict[tuple[str, str], list[tuple[dict[str, Any], Contact]]] = {}
    for entry in entries:
        values = entry.identifying_values
        if name := normalised_name(values):
            namesakes = known.setdefault((entry.kind, name), [])
            place = next(
                (at for at, (theirs, _) in enumerate(namesakes) if may_be_same(entry.kind, values, theirs)), None
            )
            if place is None:
                namesakes.append((values, entry))
            else:
                # The newest was read first, and its answers win.
                _, newer = namesakes[place]
                both = replace(
                    newer, sources=(*newer.sources, *entry.sources), answers={**entry.answers, **newer.answers}
                )
                namesakes[place] = both.identifying_values, both
    return tuple(one for namesakes in known.values() for _, one in namesakes)


def owner_contact(user: AbstractUser, draft: Draft) -> Contact:
    """The customer as a contact, with the answers about them in their other applications."""
    return _owner_contact(user, _merge(_entries(user, draft.application)))[0]


def _owner_contact(user: AbstractUser, known: tuple[Contact, ...]) -> tuple[Contact, Contact | None]:
    """The customer as a contact, the account's own data first, and the contact that the rest was taken from."""
    said = {"first_name": user.first_name, "last_name": user.last_name, "email": user.email}
    answers = {name: text for name, text in said.items() if text}
    entry = next((one for one in known if is_same("person", answers, one)), None)
    earlier = entry or Contact((), "person", {})
    return Contact((OWNER, *earlier.sources), "person", {**earlier.answers, **answers}), entry


def is_same(kind: str, answers: Mapping[str, Any], known: Contact) -> bool:
    """Whether the answers may be about the contact: the same name, and nothing that differs."""
    values = _identifying_values(answers)
    is_alike = kind == known.kind and normalised_name(values) == normalised_name(known.identifying_values)
    return is_alike and may_be_same(kind, values, known.identifying_values)


def matching_party(draft: Draft, known: Contact) -> PartyRow | None:
    """The application's party that may be the same person or company; the customer also by their e-mail address."""
    for row in draft.parties:
        answers = answers_by_property(row.kind, row.raw)
        if is_same(row.kind, answers, known):
            return row
        if known.is_owner and _identifying_values(answers).get("email") == known.identifying_values["email"]:
            return row
    return None


def without_party(draft: Draft, known: Iterable[Contact]) -> list[Contact]:
    """Those who are none of the application's parties, as `matching_party` says; each party is looked at once."""
    known = list(known)
    there: dict[tuple[str, str], list[dict[str, Any]]] = {}
    addresses: set[Any] = set()
    for row in draft.parties if known else ():
        values = _identifying_values(answers_by_property(row.kind, row.raw))
        there.setdefault((row.kind, normalised_name(values)), []).append(values)
        addresses.add(values.get("email"))
    return [
        one
        for one in known
        if not any(
            may_be_same(one.kind, values, one.identifying_values)
            for values in there.get((one.kind, normalised_name(one.identifying_values)), ())
        )
        and not (one.is_owner and one.identifying_values["email"] in addresses)
    ]


def copyable_answers(draft: Draft, known: Contact, roles: Sequence[str]) -> dict[str, Any]:
    """Return the contact's answers to the canonical questions of these roles that this form can parse.

    Leaves out declarations, which are made again.
    """
    specs = [spec for spec in draft.schema.fields_of(known.kind, roles) if not spec.is_declaration]
    named = ((spec, canonical.property_of(spec.canonical_field)) for spec in specs if spec.canonical_field)
    found = {}
    for spec, part in named:
        if part in known.answers and not spec.provided_by_agent and not spec.refers_to_share_class:
            with suppress(AnswerError):
                if spec.clean(known.answers[part]) is not None:
                    found[spec.name] = known.answers[part]
    return found


def answers_by_property(kind: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    """A party's canonical answers as typed, by property, without those to a provider's own questions."""
    parts = ((name.rpartition("."), typed) for name, typed in raw.items())
    return {part: typed for (prefix, _, part), typed in parts if prefix in (kind, _ANY_KIND)}


def _entries(user: AbstractUser, application: Application) -> Iterable[Contact]:
    """Yield the customer's parties in their latest applications but this one, the one saved last first."""
    parties = Party.objects.filter(application__in=latest_applications(user.pk), removed_at=None)
    newest = parties.exclude(application=application).order_by("-updated_at", "-pk").select_related("application")
    for party in newest.only("application__reference", "token", "kind", "raw")[:MAX_PARTIES_READ]:
        answers = answers_by_property(party.kind, party.raw)
        yield Contact((f"{party.application.reference}/{party.token}",), party.kind, answers)


def _identifying_values(answers: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {name: clean_line(typed) for name, typed in answers.items() if isinstance(typed, str)}
    if "email" in values:
        values["email"] = values["email"].lower()
    with suppress(KeyError, AnswerError):
        if born := parsing.calendar_date(answers["date_of_birth"], label=""):
            values["date_of_birth"] = born
    return values


def properties_of(draft: Draft, row: PartyRow) -> dict[str, Any]:
    """The party's values by canonical property, where they can be parsed."""
    return canonical_properties(draft.schema.fields_of(row.kind, row.roles), row.record.answers.values)


def identity_of(draft: Draft, row: PartyRow) -> Identity | None:
    """The party's identity; None while its answers are too few."""
    return identity(row.kind, properties_of(draft, row))


def duplicate_of(draft: Draft, row: PartyRow) -> PartyRow | None:
    """The first other party that seems to be the same, unless a person has said that it is not."""
    mine = identity_of(draft, row)
    if mine is None:
        return None
    others = (other for other in draft.parties if other.token != row.token and not _are_distinct(row, other))
    return next((other for other in others if identity_of(draft, other) == mine), None)


def duplicates(draft: Draft) -> dict[str, PartyRow]:
    """For each party that seems to repeat an earlier one, by its token: the earlier one."""
    seen: dict[Identity, list[PartyRow]] = {}
    found: dict[str, PartyRow] = {}
    for row in draft.parties:
        if mine := identity_of(draft, row):
            earlier = seen.setdefault(mine, [])
            same = next((one for one in earlier if not _are_distinct(row, one)), None)
            if same is not None:
                found[row.token] = same
            earlier.append(row)
    return found


def _are_distinct(one: PartyRow, other: PartyRow) -> bool:
    return other.token in one.model.apart_from or one.token in other.model.apart_from


@dataclass(frozen=True, slots=True)
class Match:
    """A party that seems to be the same: one of the application, or one of a row above in the sheet, by its number."""

    party: PartyRow
    row: int | None


class MatchIndex:
    """Finds parties that may be the same without comparing each with each."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._by_identity: dict[Identity, Match] = {}
        self._by_name: dict[tuple[str, str], list[tuple[Match, dict[str, Any]]]] = {}
        for row in draft.parties:
            self.add(row, None)

    def add(self, party: PartyRow, number: int | None) -> None:
        """Add a party, with the number of its row where it comes from the sheet."""
        values, match = self._identifying_values(party), Match(party, number)
        if (known := identity(party.kind, values)) is not None:
            self._by_identity.setdefault(known, match)
        if name := normalised_name(values):
            self._by_name.setdefault((party.kind, name), []).append((match, values))

    def match(self, party: PartyRow) -> Match | None:
        """The party that may be the same: of the same identity, or of the same name with nothing that differs."""
        values = self._identifying_values(party)
        known = identity(party.kind, values)
        if known in self._by_identity:
            return self._by_identity[known]
        namesakes = self._by_name.get((party.kind, normalised_name(values)), [])
        return next((match for match, theirs in namesakes if may_be_same(party.kind, values, theirs)), None)

    def _identifying_values(self, party: PartyRow) -> dict[str, Any]:
        values = properties_of(self._draft, party)
        return values | {"email": values["email"].casefold()} if isinstance(values.get("email"), str) else values
