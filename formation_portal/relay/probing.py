"""Finds out what a formation service honours, by some twenty calls about a test entity that is removed at the end.

Whatever can't be found out is not known, and counts as not honoured. What was found is stored as a whole or not at all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils import timezone

from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import GatewayError, Unsupported

from . import profile
from .capabilities import Capabilities
from .kinds import Kind
from .specimen import Specimen
from .trials import CannotTry, Trials, Verdict

KEYS, MERGES, REPLACES, EDITS = "keys", "merges", "replaces", "edits"
REFERRED = (Kind.ENTITY, Kind.PARTY)
LISTED = (Kind.ENTITY, Kind.PARTY, Kind.SHARE_CLASS, Kind.SHAREHOLDING, Kind.DOCUMENT)
REPEATED = (Kind.ENTITY, Kind.SHARE_CLASS, Kind.SHAREHOLDING)

Question = str | tuple[str, Kind]


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to one question. None: not known, for this reason."""

    yes: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found. `left_behind` are the ids of test entities that are still there; `slowest` is in seconds."""

    found: Mapping[Question, Found]
    reference: str
    left_behind: tuple[str, ...]
    slowest: float
    calls: int

    @property
    def capabilities(self) -> Capabilities:
        """What is known to be honoured. The list of parties is documented, so any service has it."""
        return Capabilities(
            honours_keys=self._is(KEYS),
            lists=frozenset(kind for kind in LISTED if self._is(("list", kind))) | Capabilities().lists,
            references=frozenset(kind for kind in REFERRED if self._is(("reference", kind))),
            refuses_repeats=frozenset(kind for kind in REPEATED if self._is(("repeat", kind))),
            replaces_documents=self._is(REPLACES),
            merges_csp_data=self.found[MERGES].yes,
            slowest=round(self.slowest, 3),
        )

    @property
    def can_edit(self) -> bool | None:
        """Whether it has the calls that change and remove."""
        return self.found[EDITS].yes

    def _is(self, question: Question) -> bool:
        return self.found[question].yes is True


def probe(service: FormationService, specimen: Specimen, *, reference: str) -> Report:
    """Ask everything. `reference` is the test entity's. Raises GatewayError where not even that can be made."""
    trials = Trials(service, specimen, reference=reference)
    found: dict[Question, Found] = {("reference", Kind.ENTITY): Found(trials.echoes_the_reference())}
    try:
        for question, trial in _questions(trials):
            found[question] = _answer(trial)
    finally:
        removed = _answer(trials.can_remove)
    if found[EDITS].yes:
        found[EDITS] = removed
    return Report(found, reference, tuple(trials.entities), trials.slowest, trials.calls)


def store(report: Report) -> None:
    """Keep what was found about the configured service, in one write."""
    profile.remember(capabilities=report.capabilities, can_edit=report.can_edit, probed_at=timezone.now())


def _questions(trials: Trials) -> list[tuple[Question, Callable[[], Verdict]]]:
    """In an order in which each finds what the earlier ones have made."""

    def repeated(kind: Kind) -> tuple[Question, Callable[[], Verdict]]:
        return ("repeat", kind), lambda: trials.refuses_repeats(kind)

    def listed(kind: Kind) -> tuple[Question, Callable[[], Verdict]]:
        return ("list", kind), lambda: trials.is_listed(kind)

    return [
        (KEYS, trials.honours_keys),
        (("reference", Kind.PARTY), trials.shows_references_of_parties),
        (MERGES, trials.merges_csp_data),
        (REPLACES, trials.replaces_documents),
        repeated(Kind.SHARE_CLASS),
        repeated(Kind.SHAREHOLDING),
        *map(listed, LISTED),
        (EDITS, trials.can_change),
        # The last, since it may make a second entity.
        repeated(Kind.ENTITY),
    ]


def _answer(trial: Callable[[], Verdict]) -> Found:
    """What the trial tells, or why it can't. A call that the service does not have is a clear no."""
    try:
        yes = trial()
    except Unsupported:
        return Found(False)
    except CannotTry as error:
        return Found(None, str(error))
    except GatewayError as error:
        status = f"status {error.status}, " if error.status else ""
        return Found(None, f"{type(error).words} ({status}request {error.request_id})")
    return Found(yes, "" if yes is not None else "the answer is ambiguous")
