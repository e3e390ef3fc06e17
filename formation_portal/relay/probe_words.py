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
        "Is a call repeated with the same Idempotency-Key processed only once?",
        "uncertain calls are repeated with their key",
        "uncertain calls are never repeated automatically",
    ),
    MERGES: _Words(
        "Is csp-data merged key by key?",
        "only changed answers are sent",
        "all answers are sent every time",
    ),
    REPLACES: _Words(
        "Does a second document replace the first?",
        "uncertain uploads are repeated",
        "uncertain uploads are not repeated automatically",
    ),
    EDITS: _Words(
        "Can what was sent be changed and removed?",
        "data is sent as soon as it is complete",
        "data is sent when the customer submits",
    ),
}


def _referred(kind: Kind) -> _Words:
    return _Words(
        f"Do {_PLURALS[kind]} carry our client_reference?",
        "uncertain calls are matched by it",
        "uncertain calls are not matched by it",
    )


def _listed(kind: Kind) -> _Words:
    return _Words(
        f"Can the {_PLURALS[kind]} be read back?",
        "uncertain calls are looked up there",
        "uncertain calls cannot be looked up",
    )


def _repeated(kind: Kind) -> _Words:
    return _Words(
        f"If {_PLURALS[kind]} are sent twice, does the service answer with the ID of the first?",
        "a repeat finds the first",
        "a repeat may create a second",
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
    told = f"uncertain calls are looked up after {settle:g} seconds"
    yield "How long did the slowest answer take?", f"{report.slowest:.3f} seconds", told


def _answer(found: Found) -> str:
    if found.yes is None:
        return f"not known: {found.reason}"
    return "yes" if found.yes else "no"
