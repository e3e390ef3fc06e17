"""Whom a customer knows: the people and companies of their applications, each once, with the newest answers.

Only canonical answers are in it, by property, so that they mean the same in any form. Nothing links an application to
where its people were copied from.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.contrib.auth.models import AbstractUser

from formation_portal.contract import canonical, reading
from formation_portal.contract.field import FieldSpec
from formation_portal.contract.identity import folded_name, may_be_one
from formation_portal.contract.problems import AnswerError

from .drafts import Draft
from .models import Application, Party
from .rows import PartyRow

# More than anybody forms companies with; older ones are found by whoever types the name.
READ_AT_MOST = 300
OWNER = "me"

# Canonical names of a party begin with its kind, or with this (supplement, "Parties").
_ANY_KIND = "party"


@dataclass(frozen=True, slots=True)
class Known:
    """Somebody with their answers as typed, by canonical property. `sources` are the entries that they come from."""

    sources: tuple[str, ...]
    kind: str
    answers: Mapping[str, Any]

    @property
    def is_owner(self) -> bool:
        """Whether it is the customer."""
        return OWNER in self.sources

    @property
    def label(self) -> str:
        """What it is called."""
        return canonical.label_of(self.told)

    @property
    def told(self) -> dict[str, Any]:
        """What tells who it is, as values."""
        return _told(self.answers)


def register(user: AbstractUser, draft: Draft) -> tuple[Known, ...]:
    """The customer first, where the account has a name, then everybody of their other applications: one query."""
    return _with_owner(user, _merged(_entries(user, draft.application)))


def _merged(entries: Iterable[Known]) -> tuple[Known, ...]:
    """Each once, the newest first; entries come in that order."""
    known: dict[tuple[str, str], list[Known]] = {}
    for entry in entries:
        told = entry.told
        if name := folded_name(told):
            namesakes = known.setdefault((entry.kind, name), [])
            place = next((at for at, one in enumerate(namesakes) if may_be_one(entry.kind, told, one.told)), None)
            if place is None:
                namesakes.append(entry)
            else:
                # The newest was read first, and its answers stand.
                newer = namesakes[place]
                namesakes[place] = replace(
                    newer, sources=(*newer.sources, *entry.sources), answers={**entry.answers, **newer.answers}
                )
    return tuple(one for namesakes in known.values() for one in namesakes)


def owner(user: AbstractUser, draft: Draft) -> Known:
    """The customer, with what their other applications say of them."""
    return _owner(user, _merged(_entries(user, draft.application)))[0]


def _with_owner(user: AbstractUser, known: tuple[Known, ...]) -> tuple[Known, ...]:
    if not user.get_full_name():
        return known
    me, entry = _owner(user, known)
    return (me, *(one for one in known if one is not entry))


def _owner(user: AbstractUser, known: tuple[Known, ...]) -> tuple[Known, Known | None]:
    """The account's own words, before what was answered elsewhere; and the entry that this was taken from."""
    said = {"first_name": user.first_name, "last_name": user.last_name, "email": user.email}
    answers = {name: text for name, text in said.items() if text}
    entry = next((one for one in known if is_same("person", answers, one)), None)
    earlier = entry or Known((), "person", {})
    return Known((OWNER, *earlier.sources), "person", {**earlier.answers, **answers}), entry


def is_same(kind: str, answers: Mapping[str, Any], known: Known) -> bool:
    """Whether the answers may well be those of the same one: named alike, and nothing speaks against it."""
    told = _told(answers)
    is_alike = kind == known.kind and folded_name(told) == folded_name(known.told)
    return is_alike and may_be_one(kind, told, known.told)


def here(draft: Draft, known: Known) -> PartyRow | None:
    """The party of the application that may well be the same."""
    entered = ((row, by_property(row.kind, row.raw)) for row in draft.parties)
    return next((row for row, answers in entered if is_same(row.kind, answers, known) or _is_own(answers, known)), None)


def copied(draft: Draft, known: Known, roles: Sequence[str]) -> dict[str, Any]:
    """Their answers to the canonical questions of these roles, as far as this form can read them."""
    specs = draft.schema.fields_of(known.kind, roles)
    named = ((spec, canonical.property_of(spec.canonical_field)) for spec in specs if spec.canonical_field)
    return {
        spec.name: known.answers[part]
        for spec, part in named
        if part in known.answers and not spec.provided_by_agent and not spec.refers_to_share_class
        if _can_read(spec, known.answers[part])
    }


def by_property(kind: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    """A party's canonical answers as typed; those under names of a provider's own are not among them."""
    parts = ((name.rpartition("."), typed) for name, typed in raw.items())
    return {part: typed for (prefix, _, part), typed in parts if prefix in (kind, _ANY_KIND)}


def _entries(user: AbstractUser, application: Application) -> Iterable[Known]:
    found = (
        Party.objects.filter(application__owner=user.pk, application__deleted_at=None, removed_at=None)
        .exclude(application=application)
        .order_by("-updated_at", "-pk")
        .values_list("application__reference", "token", "kind", "raw")
    )
    for reference, token, kind, raw in found[:READ_AT_MOST]:
        yield Known((f"{reference}/{token}",), kind, by_property(kind, raw))


def _is_own(answers: Mapping[str, Any], known: Known) -> bool:
    """The customer's own address tells, whatever name goes with it."""
    return known.is_owner and _told(answers).get("email") == known.told["email"]


def _told(answers: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: typed.strip() for name, typed in answers.items() if isinstance(typed, str)}
    told |= {"email": told["email"].lower()} if "email" in told else {}
    return told | ({"date_of_birth": born} if (born := _born(answers)) else {})


def _born(answers: Mapping[str, Any]) -> date | None:
    try:
        return reading.calendar_date(answers["date_of_birth"], label="")
    except (KeyError, AnswerError):
        return None


def _can_read(spec: FieldSpec, typed: Any) -> bool:
    try:
        return spec.clean(typed) is not None
    except AnswerError:
        return False
