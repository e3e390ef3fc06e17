"""A probe's report in words: each question, its answer, and what the portal does because of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from . import timing
from .kinds import Kind
from .probing import EDITS, KEYS, LISTED, MERGES, REFERRED, REPEATED, REPLACES, Found, Question, Report

_PLURALS = {
    Kind.ENTITY: "entities",
    Kind.PARTY: "parties",
    Kind.SHARE_CLASS: "share classes",
    Kind.SHAREHOLDING: "shareholdings",
    Kind.DOCUMENT: "documents",
}


@dataclass(frozen=True, slots=True)
class _Words:
    """A question, and what follows from a yes and from anything else."""

    question: str
    then: str
    otherwise: str


_WORDS: dict[Question, _Words] = {
    KEYS: _Words(
        "Does the same Idempotency-Key twice happen once?",
        "a call in doubt is repeated with its key",
        "a call in doubt is never repeated just so",
    ),
    MERGES: _Words(
        "Is csp-data merged key by key?",
        "only changed answers are sent",
        "all answers are sent every time",
    ),
    REPLACES: _Words(
        "Does a second document take the first one's place?",
        "an upload in doubt is repeated",
        "an upload in doubt is not repeated just so",
    ),
    EDITS: _Words(
        "Can what was sent be changed and removed?",
        "things go out as soon as they are complete",
        "things go out when the customer submits",
    ),
}


def _referred(kind: Kind) -> _Words:
    return _Words(
        f"Do {_PLURALS[kind]} carry our client_reference?",
        "what is in doubt is known by it",
        "what is in doubt is not known by it",
    )


def _listed(kind: Kind) -> _Words:
    return _Words(
        f"Can the {_PLURALS[kind]} be read back?",
        "what is in doubt is looked up there",
        "what is in doubt can't be looked up",
    )


def _repeated(kind: Kind) -> _Words:
    return _Words(
        f"Are {_PLURALS[kind]} that come twice refused, with the first one's id?",
        "a repeat finds the first one",
        "a repeat may make a second one",
    )


_WORDS |= {("reference", kind): _referred(kind) for kind in REFERRED}
_WORDS |= {("list", kind): _listed(kind) for kind in LISTED}
_WORDS |= {("repeat", kind): _repeated(kind) for kind in REPEATED}


def table(report: Report) -> Iterator[tuple[str, str, str]]:
    """Question, answer, what the portal does because of it."""
    for question, words in _WORDS.items():
        found = report.found[question]
        yield words.question, _answer(found), words.then if found.yes else words.otherwise
    settle = timing.settle(report.capabilities.slowest).total_seconds()
    told = f"a call in doubt is looked at after {settle:g} seconds"
    yield "How long did the slowest answer take?", f"{report.slowest:.3f} seconds", told


def _answer(found: Found) -> str:
    if found.yes is None:
        return f"not known: {found.reason}"
    return "yes" if found.yes else "no"
