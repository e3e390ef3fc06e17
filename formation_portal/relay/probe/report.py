"""Find out the capabilities of a formation service by some twenty calls about a test entity, which is then removed.

A capability that can't be found out is not known, and counts as missing. The report is stored as a whole or not at all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils import timezone

from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import GatewayError, Unsupported

from .. import service_profile, timing
from ..models import ResourceKind
from ..service_profile import Capabilities
from .checks import CheckImpossible, ProbeChecks, YesNoUnknown
from .payloads import ProbePayloads

KEYS = "keys"
MERGES = "merges"
REPLACES = "replaces"
EDITS = "edits"
REMOVALS = "removals"
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
# In an order in which each check finds the records that earlier ones have made.
_QUESTIONS: tuple[Question, ...] = (
    KEYS,
    ("reference", ResourceKind.PARTY),
    MERGES,
    REPLACES,
    ("repeat", ResourceKind.SHARE_CLASS),
    ("repeat", ResourceKind.SHAREHOLDING),
    *[("list", kind) for kind in LISTED],
    EDITS,
    # The last, since it may make a second entity.
    ("repeat", ResourceKind.ENTITY),
)


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """The answer to one question. None: not known, for this reason."""

    yes: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """The result of a probe. `left_behind` are the ids of test entities that still exist; `slowest` is in seconds."""

    answers: Mapping[Question, ProbeAnswer]
    reference: str
    left_behind: tuple[str, ...]
    slowest: float
    calls: int

    @property
    def capabilities(self) -> Capabilities:
        """Return the known capabilities. The list of parties is documented, so any service has it."""
        return Capabilities(
            honours_keys=self._is(KEYS),
            lists=frozenset(kind for kind in LISTED if self._is(("list", kind))) | Capabilities().lists,
            references=frozenset(kind for kind in REFERRED if self._is(("reference", kind))),
            refuses_repeats=frozenset(kind for kind in REPEATED if self._is(("repeat", kind))),
            replaces_documents=self._is(REPLACES),
            merges_csp_data=self.answers[MERGES].yes,
            slowest=round(self.slowest, 3),
        )

    def _is(self, question: Question) -> bool:
        return self.answers[question].yes is True


def probe(service: FormationService, payloads: ProbePayloads, *, reference: str) -> ProbeReport:
    """Ask every question about a test entity with this reference. Raises GatewayError if not even that can be made."""
    checks = ProbeChecks(service, payloads, reference=reference)
    answers: dict[Question, ProbeAnswer] = {
        ("reference", ResourceKind.ENTITY): ProbeAnswer(checks.keeps_the_reference())
    }
    try:
        for question in _QUESTIONS:
            answers[question] = _answer(checks, question)
    finally:
        removals = _answer(checks, REMOVALS)
    if answers[EDITS].yes:
        answers[EDITS] = removals
    return ProbeReport(answers, reference, tuple(checks.entities), checks.slowest, checks.calls)


def store_report(report: ProbeReport) -> None:
    """Store the report about the configured service. Every call that was missing so far may be tried again."""
    service_profile.update_profile(
        capabilities=report.capabilities, can_edit=report.answers[EDITS].yes, lacks=[], probed_at=timezone.now()
    )


def _answer(checks: ProbeChecks, question: Question) -> ProbeAnswer:
    """Return a check's answer, or why it has none. A call that the service does not have is a clear no."""
    try:
        yes = _check(checks, question)
    except Unsupported:
        return ProbeAnswer(False)
    except CheckImpossible as error:
        return ProbeAnswer(None, str(error))
    except GatewayError as error:
        status = f"status {error.status}, " if error.status else ""
        return ProbeAnswer(None, f"{type(error).words} ({status}request {error.request_id})")
    return ProbeAnswer(yes, "" if yes is not None else "the answer is ambiguous")


def _check(checks: ProbeChecks, question: Question) -> YesNoUnknown:
    if question == KEYS:
        return checks.honours_keys()
    if question == MERGES:
        return checks.merges_csp_data()
    if question == REPLACES:
        return checks.replaces_documents()
    if question == EDITS:
        return checks.can_change()
    if question == REMOVALS:
        return checks.can_remove()
    match question:
        case ("repeat", ResourceKind() as kind):
            return checks.refuses_repeats(kind)
        case ("list", ResourceKind() as kind):
            return checks.is_listed(kind)
    return checks.shows_references_of_parties()


_PLURALS = {
    ResourceKind.ENTITY: "entities",
    ResourceKind.PARTY: "parties",
    ResourceKind.SHARE_CLASS: "share classes",
    ResourceKind.SHAREHOLDING: "shareholdings",
    ResourceKind.DOCUMENT: "documents",
}
# Each question, and the consequences of a yes and of anything else.
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
for _kind in REFERRED:
    _WORDS["reference", _kind] = (
        f"Do {_PLURALS[_kind]} carry our client_reference?",
        "uncertain calls are matched by it",
        "uncertain calls are not matched by it",
    )
for _kind in LISTED:
    _WORDS["list", _kind] = (
        f"Can the {_PLURALS[_kind]} be read back?",
        "uncertain calls are looked up there",
        "uncertain calls cannot be looked up",
    )
for _kind in REPEATED:
    _WORDS["repeat", _kind] = (
        f"If {_PLURALS[_kind]} are sent twice, does the service answer with the ID of the first?",
        "a repeat finds the first",
        "a repeat may create a second",
    )


def report_rows(report: ProbeReport) -> Iterator[tuple[str, str, str]]:
    """Yield each question, its answer, and the portal's behaviour because of it."""
    for question, (text, if_yes, otherwise) in _WORDS.items():
        answer = report.answers[question]
        if answer.yes:
            yield text, "yes", if_yes
        elif answer.yes is None:
            yield text, f"not known: {answer.reason}", otherwise
        else:
            yield text, "no", otherwise
    settle = timing.settle_time(report.capabilities.slowest).total_seconds()
    consequence = f"uncertain calls are looked up after {settle:g} seconds"
    yield "How long did the slowest answer take?", f"{report.slowest:.3f} seconds", consequence
