"""What is set aside, as an entry of the check page: each with what was answered and why it isn't asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from formation_portal.applications.inactive_answers import InactiveAnswers
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract.language import in_quotes, listed, say
from formation_portal.contract.rules import Verdict

from .counting import counted

# More than these and their names would be a riddle.
_NAMED_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class AsideRow:
    """One thing that is kept: what it is, what was entered, and the rule."""

    term: str
    value: str
    note: str


@dataclass(frozen=True, slots=True)
class AsideEntry:
    """The entry: how much it is, how it comes back, and every single thing."""

    counts: str
    way_back: str
    rows: tuple[AsideRow, ...]


def aside_entry(aside: InactiveAnswers) -> AsideEntry:
    """The entry in words; without rows where nothing is set aside."""
    return AsideEntry(_counts(aside), _way_back(aside), (*_people(aside), *_rest(aside)))


def _counts(aside: InactiveAnswers) -> str:
    kinds = [one.party.kind for one in aside.parties]
    words = (
        counted(len(aside.answers), "{count} answer", "{count} answers"),
        counted(kinds.count("person"), "{count} person", "{count} people"),
        counted(kinds.count("corporate"), "{count} company", "{count} companies"),
        counted(kinds.count("foundation"), "{count} foundation", "{count} foundations"),
        counted(len(aside.share_classes), "{count} share class", "{count} share classes"),
        counted(len(aside.documents), "{count} document", "{count} documents"),
    )
    return ", ".join(word for word in words if word)


def _way_back(aside: InactiveAnswers) -> str:
    several = sum(map(len, (aside.answers, aside.parties, aside.share_classes, aside.documents))) > 1
    named = aside.deciding
    if not named or len(named) > _NAMED_AT_MOST:
        if several:
            return say("We restore them if you need them again.")
        return say("We restore it if you need it again.")
    questions = listed([in_quotes(label) for label in named], "or")
    if several:
        return say("We restore them if you change {questions} back.", questions=questions)
    return say("We restore it if you change {questions} back.", questions=questions)


def _people(aside: InactiveAnswers) -> Iterator[AsideRow]:
    for one in aside.parties:
        roles = ", ".join(one.roles)
        yield AsideRow(one.party.label, roles[:1].upper() + roles[1:], _reasons(one.activations))


def _rest(aside: InactiveAnswers) -> Iterator[AsideRow]:
    for answer in aside.answers:
        yield AsideRow(_of(answer.line.spec.label, answer.holder), answer.line.value, _reasons([answer.activation]))
    for share in aside.share_classes:
        yield AsideRow(share.share_class.label, say("Share class"), _reasons([share.activation]))
    for paper in aside.documents:
        yield AsideRow(_of(paper.document.slot, paper.holder), paper.document.name, _reasons([paper.activation]))


def _of(what: str, holder: PartyRow | ShareClassRow | None) -> str:
    return f"{what}, {holder.label}" if holder else what


def _reasons(verdicts: Sequence[Verdict]) -> str:
    return " ".join(f"{verdict.reason}." for verdict in verdicts if verdict.reason)
