"""Recognise the same person or company: contacts from a customer's applications, and duplicates in an application.

A contact holds only canonical answers, by property, so that every form can use them.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from django.contrib.auth.models import AbstractUser

from formation_portal.contract import canonical
from formation_portal.contract.canonical import Identity, canonical_properties, identity, may_be_same, normalised_name
from formation_portal.contract.fields.cleaning import clean_email, clean_line
from formation_portal.contract.fields.date import calendar_date
from formation_portal.contract.fields.text import ONE_NAME
from formation_portal.contract.fields.values import AnswerError

from .draft import Draft
from .models import Application, Party
from .parties import PartyRow

# The number of latest parties that become contacts.
MAX_PARTIES_READ = 100
OWNER = "me"


# The canonical names of a party's fields begin with its kind or with this word (INTERFACE.md, "Parties").
_ANY_KIND = "party"


@dataclass(frozen=True, slots=True)
class Contact:
    """A person or company with typed answers by canonical property. They are from `sources`: parties, or OWNER."""

    sources: tuple[str, ...]
    kind: str
    answers: Mapping[str, Any]

    @property
    def is_owner(self) -> bool:
        return OWNER in self.sources

    @property
    def label(self) -> str:
        return canonical.label_of(self.identifiers)

    @property
    def identifiers(self) -> dict[str, Any]:
        return _identifiers(self.answers)


def contacts(user: AbstractUser, draft: Draft) -> tuple[Contact, ...]:
    """Return the customer, if the account has a name, and the merged parties of other applications. One SQL query."""
    others = _merge(_entries(user, draft.application))
    if not user.get_full_name():
        return others
    customer, entry = _owner_contact(user, others)
    return (customer, *(contact for contact in others if contact is not entry))


def _merge(entries: Iterable[Contact]) -> tuple[Contact, ...]:
    """Merge entries about the same person or company; leave out nameless ones. Newer entries come first, and win."""
    by_name: dict[tuple[str, str], list[Contact]] = {}
    for entry in entries:
        identifiers = entry.identifiers
        name = normalised_name(identifiers)
        if not name:
            continue
        namesakes = by_name.setdefault((entry.kind, name), [])
        for place, newer in enumerate(namesakes):
            if may_be_same(entry.kind, identifiers, newer.identifiers):
                sources = (*newer.sources, *entry.sources)
                namesakes[place] = replace(newer, sources=sources, answers={**entry.answers, **newer.answers})
                break
        else:
            namesakes.append(entry)
    return tuple(chain.from_iterable(by_name.values()))


def owner_contact(user: AbstractUser, draft: Draft) -> Contact:
    return _owner_contact(user, _merge(_entries(user, draft.application)))[0]


def _owner_contact(user: AbstractUser, others: tuple[Contact, ...]) -> tuple[Contact, Contact | None]:
    """Return the customer as a contact, and the one of `others` that is merged into it; None if none matches."""
    first_name = user.first_name or (user.last_name and ONE_NAME)
    account = {"first_name": first_name, "last_name": user.last_name, "email": user.email}
    answers = {name: typed for name, typed in account.items() if typed}
    entry = next((contact for contact in others if is_same("person", answers, contact)), None)
    earlier = entry or Contact((), "person", {})
    return Contact((OWNER, *earlier.sources), "person", {**earlier.answers, **answers}), entry


def is_same(kind: str, answers: Mapping[str, Any], contact: Contact) -> bool:
    """Tell whether the answers may describe the contact: equal names, and no contradicting value."""
    identifiers = _identifiers(answers)
    has_same_name = kind == contact.kind and normalised_name(identifiers) == normalised_name(contact.identifiers)
    return has_same_name and may_be_same(kind, identifiers, contact.identifiers)


def matching_party(draft: Draft, contact: Contact) -> PartyRow | None:
    """Return the party that may be the contact, or None. The customer is recognised by e-mail address too."""
    return PartyFinder(draft).find_contact(contact)


def without_party(draft: Draft, contacts: Iterable[Contact]) -> list[Contact]:
    """Return the contacts that match none of the application's parties (`matching_party`)."""
    finder = PartyFinder(draft)
    return [contact for contact in contacts if finder.find_contact(contact) is None]


@dataclass(frozen=True, slots=True)
class Match:
    """A party that another seems to repeat. `row` is its row in an uploaded sheet; None for one in the application."""

    party: PartyRow
    row: int | None


class PartyFinder:
    """The parties of a draft, and those added from an uploaded sheet, indexed to find duplicates."""

    def __init__(self, draft: Draft) -> None:
        self._by_identity: dict[Identity, Match] = {}
        self._by_name: dict[tuple[str, str], list[tuple[Match, dict[str, Any]]]] = {}
        self._by_email: dict[Any, PartyRow] = {}
        for row in draft.parties:
            self.add(row, None)

    def add(self, party: PartyRow, number: int | None) -> None:
        """Add a party, with the number of its row if it comes from a sheet, else None."""
        identifiers = _identifiers(answers_by_property(party.kind, party.raw))
        match = Match(party, number)
        if identity_ := identity(party.kind, identifiers):
            self._by_identity.setdefault(identity_, match)
        if name := normalised_name(identifiers):
            self._by_name.setdefault((party.kind, name), []).append((match, identifiers))
        self._by_email.setdefault(identifiers.get("email"), party)

    def find(self, party: PartyRow) -> Match | None:
        """Return the match with the same identity, or with the same name and no contradicting value; else None."""
        identifiers = _identifiers(answers_by_property(party.kind, party.raw))
        identity_ = identity(party.kind, identifiers)
        if identity_ in self._by_identity:
            return self._by_identity[identity_]
        return self._namesake(party.kind, identifiers)

    def find_contact(self, contact: Contact) -> PartyRow | None:
        identifiers = contact.identifiers
        if match := self._namesake(contact.kind, identifiers):
            return match.party
        return self._by_email.get(identifiers["email"]) if contact.is_owner else None

    def _namesake(self, kind: str, identifiers: dict[str, Any]) -> Match | None:
        for match, namesake in self._by_name.get((kind, normalised_name(identifiers)), []):
            if may_be_same(kind, identifiers, namesake):
                return match
        return None


def copyable_answers(draft: Draft, contact: Contact, roles: Sequence[str]) -> dict[str, Any]:
    """Return the contact's answers that the draft's form asks in these roles and can parse, without declarations."""
    answers: dict[str, Any] = {}
    for spec in draft.schema.fields_of(contact.kind, roles):
        if not spec.canonical_field or spec.is_declaration or spec.provided_by_agent or spec.refers_to_share_class:
            continue
        typed = contact.answers.get(canonical.property_of(spec.canonical_field))
        with suppress(AnswerError):
            if typed is not None and spec.clean(typed) is not None:
                answers[spec.name] = typed
    return answers


def answers_by_property(kind: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return a party's canonical answers as typed, by property, without answers to a provider's own questions."""
    answers = {}
    for name, typed in raw.items():
        prefix, _, part = name.rpartition(".")
        if prefix in (kind, _ANY_KIND):
            answers[part] = typed
    return answers


def _entries(user: AbstractUser, application: Application) -> Iterable[Contact]:
    """Yield the parties of the customer's other latest applications, the last saved party first."""
    parties = Party.objects.filter(application__in=Application.objects.latest_of(user.pk), removed_at=None)
    newest = parties.exclude(application=application).order_by("-updated_at", "-pk").select_related("application")
    for party in newest.only("application__reference", "token", "kind", "raw")[:MAX_PARTIES_READ]:
        answers = answers_by_property(party.kind, party.raw)
        yield Contact((f"{party.application.reference}/{party.token}",), party.kind, answers)


def _identifiers(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cleaned texts by which a party is recognised, by property; the date of birth as a date."""
    identifiers: dict[str, Any] = {name: clean_line(typed) for name, typed in answers.items() if isinstance(typed, str)}
    if "email" in identifiers:
        identifiers["email"] = clean_email(identifiers["email"])
    with suppress(KeyError, AnswerError):
        if birthday := calendar_date(answers["date_of_birth"], label=""):
            identifiers["date_of_birth"] = birthday
    return identifiers


def properties_of(draft: Draft, row: PartyRow) -> dict[str, Any]:
    return canonical_properties(draft.schema.fields_of(row.kind, row.roles), row.record.answers.values)


def identity_of(draft: Draft, row: PartyRow) -> Identity | None:
    """Return the party's identity; None while answers for it are missing."""
    return identity(row.kind, properties_of(draft, row))


def duplicate_of(draft: Draft, row: PartyRow) -> PartyRow | None:
    """Return the first other party that seems to be the same and is not marked as different; None if there is none."""
    own = identity_of(draft, row)
    if own is None:
        return None
    for other in draft.parties:
        if other.token != row.token and not _are_distinct(row, other) and identity_of(draft, other) == own:
            return other
    return None


def duplicates(draft: Draft) -> dict[str, PartyRow]:
    """Return the earlier party that each duplicate seems to repeat, by the duplicate's token."""
    by_identity: dict[Identity, list[PartyRow]] = {}
    repeated: dict[str, PartyRow] = {}
    for row in draft.parties:
        if identity_ := identity_of(draft, row):
            earlier = by_identity.setdefault(identity_, [])
            for other in earlier:
                if not _are_distinct(row, other):
                    repeated.setdefault(row.token, other)
            earlier.append(row)
    return repeated


def _are_distinct(party: PartyRow, other: PartyRow) -> bool:
    return other.token in party.model.apart_from or party.token in other.model.apart_from
