"""What there is to check in an application: each party's answers and documents one by one, the rest by section."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import AnswerLine, DocumentLine, PartyReadback, Readback, readback
from formation_portal.contract import canonical

from .models import Check, Remark
from .places import Kind, Place

ACCEPTED, QUERIED, CHANGED, OPEN = "accepted", "queried", "changed", "open"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to check. `digest` names what stands there now; `value` says it, a document's by its file's name.

    `state` is accepted, queried (a remark is open), changed (since it was accepted) or open. `check` and `remark` are
    what was made of it last, if anything. `is_identity_number` where it is a number that a natural person is known by.
    """

    place: Place
    label: str
    value: str
    digest: str
    state: str = OPEN
    is_name: bool = False
    is_unreadable: bool = False
    is_identity_number: bool = False
    document: Document | None = None
    check: Check | None = None
    remark: Remark | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do about it."""
        return self.state == ACCEPTED


@dataclass(frozen=True, slots=True)
class Sheet:
    """The facts of one holder: a party (its token), or the application's own (no token)."""

    token: str
    title: str
    facts: tuple[Fact, ...]

    @property
    def done(self) -> int:
        """How many are accepted."""
        return sum(fact.is_done for fact in self.facts)

    @property
    def is_done(self) -> bool:
        """Whether all are."""
        return self.done == len(self.facts)


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that there is to check, with what was made of it. `asked` are all open remarks, in their order."""

    sheets: tuple[Sheet, ...]
    asked: tuple[Remark, ...]

    def __iter__(self) -> Iterator[Fact]:
        return (fact for sheet in self.sheets for fact in sheet.facts)

    def sheet(self, token: str) -> Sheet | None:
        """A party's facts; without a token the application's own."""
        return next((sheet for sheet in self.sheets if sheet.token == token), None)

    @property
    def remarks(self) -> dict[Place, Remark]:
        """The open remark at each place: the newest, where one was sent and another is drafted."""
        return {remark.place: remark for remark in self.asked}

    @property
    def drafted(self) -> tuple[Remark, ...]:
        """Those that would go out with a return."""
        return tuple(remark for remark in self.asked if remark.is_draft)

    def at(self, place: Place) -> Fact | None:
        """The fact at a place, if there is one."""
        return next((fact for fact in self if fact.place == place), None)


def facts_of(draft: Draft, *, told: Readback | None = None, asked: Iterable[Remark] | None = None) -> Facts:
    """All facts of a draft as they are checked by now: two queries. `told` is its summary, where it was made, and
    `asked` all its open remarks in their order, where they were read."""
    told = told or readback(draft)
    application = draft.application
    checks = {check.place: check for check in Check.objects.filter(application=application).select_related("by")}
    if asked is None:
        asked = application.remarks.filter(dropped_at=None, settled_at=None).select_related("by")
    asked = tuple(asked)
    remarks = {remark.place: remark for remark in asked}
    sheets = (_entity(draft, told), *(_party(draft, one, told.documents) for one in told.parties))
    return Facts(tuple(_judged(sheet, checks, remarks) for sheet in sheets), asked)


def _judged(sheet: Sheet, checks: Mapping[Place, Check], remarks: Mapping[Place, Remark]) -> Sheet:
    judged = (_with(fact, checks.get(fact.place), remarks.get(fact.place)) for fact in sheet.facts)
    return Sheet(sheet.token, sheet.title, tuple(judged))


def _with(fact: Fact, check: Check | None, remark: Remark | None) -> Fact:
    digest = check.digest if check else ""
    state = QUERIED if remark else OPEN if not digest else ACCEPTED if digest == fact.digest else CHANGED
    return replace(fact, state=state, check=check, remark=remark)


def _entity(draft: Draft, told: Readback) -> Sheet:
    sections = [_section(draft, one.section.key, one.section.title, one.lines) for one in told.sections]
    documents = _documents(line for line in told.documents if line.party is None)
    return Sheet("", draft.title, (*sections, *_shares(draft), *documents))


def _section(draft: Draft, key: str, title: str, lines: Iterable[AnswerLine]) -> Fact:
    answers = {line.spec.name: draft.entity_raw.get(line.spec.name) for line in lines}
    return Fact(Place(Kind.SECTION, key), title, "", _digest(answers))


def _shares(draft: Draft) -> Iterator[Fact]:
    section = draft.schema.share_section
    if section is None or not draft.holds_shares:
        return
    yield Fact(Place(Kind.SECTION, section.key), section.title, "", shares_digest(draft))


def shares_digest(draft: Draft) -> str:
    """What names the classes of shares, and who holds how many, as they stand."""
    classes = {row.token: dict(row.raw) for row in draft.share_classes}
    held = {f"{party}/{share_class}": row.shares for (party, share_class), row in sorted(draft.holdings.items())}
    return _digest([classes, held])


def _party(draft: Draft, told: PartyReadback, documents: Iterable[DocumentLine]) -> Sheet:
    row = told.party
    roles = Fact(Place(Kind.PARTY, row.token), "Roles", ", ".join(told.roles), _digest([row.kind, sorted(row.roles)]))
    answers = (_answer(row, line) for line in told.lines if line.value and not line.is_given)
    own = (line for line in documents if line.party is not None and line.party.token == row.token)
    return Sheet(row.token, row.label, (roles, *answers, *_documents(own)))


def _answer(row: PartyRow, line: AnswerLine) -> Fact:
    return Fact(
        Place.of_field(row.token, line.spec.name),
        line.spec.label,
        line.value,
        _digest(row.raw.get(line.spec.name)),
        is_name=line.is_name,
        is_unreadable=line.is_unreadable,
        is_identity_number=canonical.is_identity_number(line.spec.canonical_field, kind=row.kind),
    )


def _documents(lines: Iterable[DocumentLine]) -> Iterator[Fact]:
    """What was uploaded; what is missing is a need, and nothing to check."""
    for line in lines:
        if line.document is not None:
            place = Place.of_document(line.party.token if line.party else "", line.slot)
            yield Fact(place, line.slot, line.document.name, _digest(line.document.sha256), document=line.document)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
