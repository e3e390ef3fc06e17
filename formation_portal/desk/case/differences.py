"""What is different now: in an application since it was returned, and of a fact since an agent last looked at it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import answer_in_words, share_class_choices
from formation_portal.applications.services import ROLES
from formation_portal.contract.fields.base import Choice, FieldSpec
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import Fact, HolderChecklist
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.ui.documents import file_facts
from formation_portal.ui.roles import role_words

# How the history begins to tell of somebody, or of a class, who was not there before.
_ADDED = "Added "


@dataclass(frozen=True, slots=True)
class Difference:
    """One answer, document or number that is another now. `holder` is a party's or class's token, a section's key for
    holdings, empty for the application's own; without words there was, or is, nothing."""

    holder: str
    name: str
    label: str
    before: str
    after: str
    is_document: bool = False


@dataclass(frozen=True, slots=True)
class Differences:
    """Everything that is another now; `move` is the return since which, None before the first one.

    `added` are the tokens of parties and classes that are new, `removed` the names of those that are gone.
    """

    move: Change | None = None
    found: tuple[Difference, ...] = ()
    added: frozenset[str] = frozenset()
    removed: tuple[str, ...] = ()
    _by_place: Mapping[tuple[str, str], Difference] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.found or self.added or self.removed)

    def at(self, holder: str, name: str) -> Difference | None:
        """What changed there."""
        return self._by_place.get((holder, name))

    def of(self, holder: str) -> tuple[Difference, ...]:
        """Everything that changed of a party, a class, or the application itself."""
        return tuple(one for one in self.found if one.holder == holder)


def differences(draft: Draft, history: Iterable[Change]) -> Differences:
    """From all changes since the last return, the newest first; a longer history does no harm. No query."""
    newest = list(history)
    move = next((one for one in newest if one.moved_to == State.RETURNED_FOR_CHANGES), None)
    if move is None:
        return Differences()
    since = [one for one in reversed(newest) if one.pk > move.pk]
    first: dict[str, Change] = {}
    for one in since:
        first.setdefault(_holder(draft, one), one)
    there = {row.token for row in draft.parties} | {row.token for row in draft.share_classes}
    added = {holder for holder, one in first.items() if one.what.startswith(_ADDED)}
    found = tuple(_Told(draft, there - added).differences(since))
    return Differences(
        move=move,
        found=found,
        added=frozenset(added & there),
        removed=tuple(dict.fromkeys(_removed(draft, since, added | there))),
        _by_place={(one.holder, one.name): one for one in found},
    )


def _holder(draft: Draft, change: Change) -> str:
    """Whose change it was; an answer of the application may stand in two of its sections."""
    section = draft.schema.section(change.holder) if change.holder else None
    return "" if section is not None and section.is_entity else change.holder


def _removed(draft: Draft, since: Iterable[Change], others: Iterable[str]) -> Iterator[str]:
    """The names of those who were there at the return, and are not any more."""
    for one in since:
        holder = _holder(draft, one)
        if holder and holder not in others and draft.schema.section(holder) is None and one.named.get("name"):
            yield str(one.named["name"])


class _Told:
    """Puts what was before and is now in words, as the form asks at present."""

    def __init__(self, draft: Draft, tokens: Iterable[str]) -> None:
        self._draft = draft
        self._tokens = frozenset(tokens)
        self._choices: tuple[Choice, ...] = share_class_choices(draft)
        self._labels = {row.token: row.label for row in draft.parties}

    def differences(self, since: Iterable[Change]) -> Iterator[Difference]:
        """Each place once, in the order in which it was first changed; what was changed back is none."""
        before: dict[tuple[str, str], Any] = {}
        after: dict[tuple[str, str], Any] = {}
        labels: dict[tuple[str, str], str] = {}
        for change in since:
            holder = _holder(self._draft, change)
            if holder and holder not in self._tokens and self._draft.schema.section(holder) is None:
                continue
            for one in change.changes:
                place = (holder, str(one["field"]))
                before.setdefault(place, one["before"])
                after[place], labels[place] = one["after"], str(one["label"])
        for place, was in before.items():
            words = (self._words(place, was), self._words(place, after[place]))
            if was != after[place] and (words[0] != words[1] or _is_file(was) or _is_file(after[place])):
                is_document = _is_file(was) or _is_file(after[place])
                yield Difference(*place, self._label(place, labels[place]), *words, is_document=is_document)

    def _label(self, place: tuple[str, str], label: str) -> str:
        spec = self._spec(*place)
        return spec.label if spec else f"Part of {label}" if place[1].startswith("owner/") else label

    def _words(self, place: tuple[str, str], raw: Any) -> str:
        if _is_file(raw):
            return str(raw.get("name", ""))
        if place[1] == ROLES:
            return role_words(raw or ())
        spec = self._spec(*place)
        if spec is not None:
            return answer_in_words(spec, raw, self._choices)
        return "" if raw is None else str(raw) if isinstance(raw, str) else ", ".join(map(str, raw))

    def _spec(self, holder: str, name: str) -> FieldSpec | None:
        fields: Iterable[FieldSpec] = self._draft.schema.entity_fields
        if (party := self._draft.party(holder)) is not None:
            fields = self._draft.schema.fields_of(party.kind, party.roles)
        elif self._draft.share_class(holder) is not None:
            fields = self._draft.schema.share_class_fields
        elif holder:
            fields = ()
        return next((spec for spec in fields if spec.name == name), None)


def _is_file(said: Any) -> bool:
    return isinstance(said, Mapping) and "sha256" in said


# What stood there where nothing was answered.
NOT_ANSWERED = "Not answered"


def values_before(draft: Draft, party: PartyRow, sheet: HolderChecklist) -> Mapping[Target, str]:
    """The earlier value of each fact of a party that has changed, in words. One query, or none where nothing has."""
    since = {fact.target: at for fact in sheet.facts if (at := _looked_at(fact)) is not None}
    if not since:
        return {}
    earlier = {**dict(_answers(draft, party, since)), **dict(_files(draft, party, sheet, since))}
    now = {fact.target: fact.value for fact in sheet.facts}
    return {target: words for target, words in earlier.items() if words != now[target]}


def _looked_at(fact: Fact) -> datetime | None:
    """When an agent last said something of what stood there; None where nothing is to be compared."""
    check, query = fact.check, fact.query
    if check is not None and check.digest:
        return check.at if check.digest != fact.digest else None
    return query.sent_at if query is not None else None


def _answers(draft: Draft, party: PartyRow, since: Mapping[Target, datetime]) -> Iterator[tuple[Target, str]]:
    entries = draft.application.changes.filter(holder=party.token, at__gte=min(since.values()))
    # The newest first, so that of several changes the oldest is said last, and stays.
    for entry in entries:
        for change in entry.changes:
            name = change["field"]
            is_roles = name == ROLES
            target = Target(TargetKind.PARTY, party.token) if is_roles else Target.of_field(party.token, name)
            if target in since and entry.at >= since[target]:
                yield target, _in_words(draft, party, change)


def _in_words(draft: Draft, party: PartyRow, change: Mapping[str, Any]) -> str:
    before = change["before"]
    if change["field"] == ROLES:
        return role_words(before or ())
    spec = next((one for one in draft.schema.fields_of(party.kind, party.roles) if one.name == change["field"]), None)
    words = answer_in_words(spec, before, share_class_choices(draft)) if spec else ""
    return words or NOT_ANSWERED


def _files(
    draft: Draft, party: PartyRow, sheet: HolderChecklist, since: Mapping[Target, datetime]
) -> Iterator[tuple[Target, str]]:
    for fact in sheet.facts:
        if fact.document is not None and fact.target in since:
            earlier = draft.replaced_in(party, fact.document.slot)
            at = since[fact.target]
            there = next((one for one in earlier if one.replaced_at and one.uploaded_at <= at < one.replaced_at), None)
            if there is not None:
                yield fact.target, f"{there.name} ({file_facts(there)})"
