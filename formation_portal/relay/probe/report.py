"""Finds out what a formation service honours, by some twenty calls about a test entity that is removed at the end.

Whatever can't be found out is not known, and counts as not honoured. What was found is stored as a whole or not at all.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from django.utils import timezone

from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import GatewayError, Unsupported

from .. import service_profile, timing
from ..models import ResourceKind
from ..service_profile import Capabilities
from .checks import CheckImpossible, ProbeChecks, YesNoUnknown
from .payloads import ProbePayloads

KEYS, MERGES, REPLACES, EDITS = "keys", "merges", "replaces", "edits"
REFERRED = (ResourceKind.ENTITY, ResourceKind.PARTY)
LISTED = (
    ResourceKind.ENTITY,
    ResourceKind.PARTY,
    ResourceKind.SHARE_CLASS,
    ResourceKind.SHAREHOLDING,
    ResourceKind.DOCUMENT,
)
REPEATED = (ResourceKind.ENTITY, ResourceKind.SHARE_CLASS, ResourceKind.SHAREHOLDING)

Question = str | tuple[str, ResourceKind]


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """The answer to one question. None: not known, for this reason."""

    yes: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """All that was found. `left_behind` are the ids of test entities that are still there; `slowest` is in seconds."""

    found: Mapping[Question, ProbeAnswer]
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


def probe(service: FormationService, payloads: ProbePayloads, *, reference: str) -> ProbeReport:
    """Ask everything. `reference` is the test entity's. Raises GatewayError where not even that can be made."""
    checks = ProbeChecks(service, payloads, reference=reference)
    found: dict[Question, ProbeAnswer] = {("reference", ResourceKind.ENTITY): ProbeAnswer(checks.keeps_the_reference())}
    try:
        for question, check in _checks(checks):
            found[question] = _run_check(check)
    finally:
        removed = _run_check(checks.can_remove)
    if found[EDITS].yes:
        found[EDITS] = removed
    return ProbeReport(found, reference, tuple(checks.entities), checks.slowest, checks.calls)


def store_report(report: ProbeReport) -> None:
    """Store the report about the configured service. Every call that was missing so far may be tried again."""
    service_profile.update_profile(
        capabilities=report.capabilities, can_edit=report.can_edit, lacks=[], probed_at=timezone.now()
    )


def _checks(checks: ProbeChecks) -> list[tuple[Question, Callable[[], YesNoUnknown]]]:
    """In an order in which each finds what the earlier ones have made."""

    def repeated(kind: ResourceKind) -> tuple[Question, Callable[[], YesNoUnknown]]:
        return ("repeat", kind), lambda: checks.refuses_repeats(kind)

    def listed(kind: ResourceKind) -> tuple[Question, Callable[[], YesNoUnknown]]:
        return ("list", kind), lambda: checks.is_listed(kind)

    return [
        (KEYS, checks.honours_keys),
        (("reference", ResourceKind.PARTY), checks.shows_references_of_parties),
        (MERGES, checks.merges_csp_data),
        (REPLACES, checks.replaces_documents),
        repeated(ResourceKind.SHARE_CLASS),
        repeated(ResourceKind.SHAREHOLDING),
        *map(listed, LISTED),
        (EDITS, checks.can_change),
        # The last, since it may make a second entity.
        repeated(ResourceKind.ENTITY),
    ]


def _run_check(check: Callable[[], YesNoUnknown]) -> ProbeAnswer:
    """What the check shows, or why it can't. A call that the service does not have is a clear no."""
    try:
        yes = check()
    except Unsupported:
        return ProbeAnswer(False)
    except CheckImpossible as error:
        return ProbeAnswer(None, str(error))
    except GatewayError as error:
        status = f"status {error.status}, " if error.status else ""
        return ProbeAnswer(None, f"{type(error).words} ({status}request {error.request_id})")
    return ProbeAnswer(yes, "" if yes is not None else "the answer is ambiguous")


_PLURALS = {
    ResourceKind.ENTITY: "entities",
    ResourceKind.PARTY: "parties",
    ResourceKind.SHARE_CLASS: "share classes",
    ResourceKind.SHAREHOLDING: "shareholdings",
    ResourceKind.DOCUMENT: "documents",
}


# Each question, and what follows from a yes and from anything else.
_WORDS: dict[Question, tuple[str, str, str]] = {
    KEYS: (
        "Is a call repeated with the same Idempotency-Key processed only once?",
        "uncertain calls are repeated with their key",
        "uncertain calls are never repeated automatically",
    ),
    MERGES: (
        "Is csp-data merged key by key?",
        "only changed answers are sent",
        "all answers are sent every time",
    ),
    REPLACES: (
        "Does a second document replace the first?",
        "uncertain uploads are repeated",
        "uncertain uploads are not repeated automatically",
    ),
    EDITS: (
        "Can what was sent be changed and removed?",
        "data is sent as soon as it is complete",
        "data is sent when the customer submits",
    ),
}


_WORDS |= {
    ("reference", kind): (
        f"Do {_PLURALS[kind]} carry our client_reference?",
        "uncertain calls are matched by it",
        "uncertain calls are not matched by it",
    )
    for kind in REFERRED
}
_WORDS |= {
    ("list", kind): (
        f"Can the {_PLURALS[kind]} be read back?",
        "uncertain calls are looked up there",
        "uncertain calls cannot be looked up",
    )
    for kind in LISTED
}
_WORDS |= {
    ("repeat", kind): (
        f"If {_PLURALS[kind]} are sent twice, does the service answer with the ID of the first?",
        "a repeat finds the first",
        "a repeat may create a second",
    )
    for kind in REPEATED
}


def report_rows(report: ProbeReport) -> Iterator[tuple[str, str, str]]:
    """Question, answer, what the portal does because of it."""
    for question, (words, then, otherwise) in _WORDS.items():
        found = report.found[question]
        answer = f"not known: {found.reason}" if found.yes is None else "yes" if found.yes else "no"
        yield words, answer, then if found.yes else otherwise
    settle = timing.settle_time(report.capabilities.slowest).total_seconds()
    told = f"uncertain calls are looked up after {settle:g} seconds"
    yield "How long did the slowest answer take?", f"{report.slowest:.3f} seconds", told
