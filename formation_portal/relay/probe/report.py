"""Find out the capabilities of a formation service by some twenty calls about a test entity, which is then removed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils import timezone

from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import GatewayError, Unsupported

from .. import service_profile, timing
from ..models import ResourceKind
from ..service_profile import Capabilities
from .checks import CheckImpossible, ProbeChecks
from .payloads import ProbePayloads

_PLURALS = {
    ResourceKind.ENTITY: "entities",
    ResourceKind.PARTY: "parties",
    ResourceKind.SHARE_CLASS: "share classes",
    ResourceKind.SHAREHOLDING: "shareholdings",
    ResourceKind.DOCUMENT: "documents",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A method of `ProbeChecks`, its question, and the portal's behaviour after a yes and after anything else."""

    check: str
    text: str
    if_yes: str
    otherwise: str
    kind: ResourceKind | None = None


def _reference_question(check: str, kind: ResourceKind) -> Question:
    text = f"Do {_PLURALS[kind]} carry our client_reference?"
    return Question(check, text, "uncertain calls are matched by it", "uncertain calls are not matched by it")


def _list_question(kind: ResourceKind) -> Question:
    text = f"Can the {_PLURALS[kind]} be read back?"
    return Question(
        "is_listed", text, "uncertain calls are looked up there", "uncertain calls cannot be looked up", kind
    )


def _repeat_question(kind: ResourceKind) -> Question:
    text = f"If {_PLURALS[kind]} are sent twice, does the service answer with the ID of the first?"
    return Question("refuses_repeats", text, "a repeat finds the first", "a repeat may create a second", kind)


# In an order in which each check finds the records that earlier ones have made.
_QUESTIONS = (
    _reference_question("keeps_the_reference", ResourceKind.ENTITY),
    Question(
        "honours_keys",
        "Is a call repeated with the same Idempotency-Key processed only once?",
        "uncertain calls are repeated with their key",
        "uncertain calls are never repeated automatically",
    ),
    _reference_question("shows_references_of_parties", ResourceKind.PARTY),
    Question(
        "merges_csp_data",
        "Is csp-data merged key by key?",
        "only changed answers are sent",
        "all answers are sent every time",
    ),
    Question(
        "replaces_documents",
        "Does a second document replace the first?",
        "uncertain uploads are repeated",
        "uncertain uploads are not repeated automatically",
    ),
    _repeat_question(ResourceKind.SHARE_CLASS),
    _repeat_question(ResourceKind.SHAREHOLDING),
    *map(_list_question, _PLURALS),
    Question(
        "can_change",
        "Can what was sent be changed and removed?",
        "data is sent as soon as it is complete",
        "data is sent when the customer submits",
    ),
    # Last, since this check may create a second entity.
    _repeat_question(ResourceKind.ENTITY),
)


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    yes: bool | None
    reason: str = ""


_EDITS = ("can_change", None)


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """The answers by check and kind. `left_behind` are the ids of test entities that still exist."""

    answers: Mapping[tuple[str, ResourceKind | None], ProbeAnswer]
    reference: str
    left_behind: tuple[str, ...]
    # The time of the slowest answer, in seconds.
    slowest: float
    calls: int

    def capabilities(self) -> Capabilities:
        """Return the capabilities that the answers show. The list of parties is documented, so any service has it."""
        answers = {name: answer.yes for name, answer in self.answers.items()}
        references = set()
        if answers["keeps_the_reference", None]:
            references.add(ResourceKind.ENTITY)
        if answers["shows_references_of_parties", None]:
            references.add(ResourceKind.PARTY)
        return Capabilities(
            honours_keys=bool(answers["honours_keys", None]),
            lists=Capabilities().lists.union(kind for kind in _PLURALS if answers["is_listed", kind]),
            references=frozenset(references),
            refuses_repeats=frozenset(kind for kind in _PLURALS if answers.get(("refuses_repeats", kind))),
            replaces_documents=bool(answers["replaces_documents", None]),
            merges_csp_data=answers["merges_csp_data", None],
            slowest=round(self.slowest, 3),
        )


def probe(service: FormationService, payloads: ProbePayloads, *, reference: str) -> ProbeReport:
    """Run every check with a test entity of this reference. Raises GatewayError if the entity can't be created."""
    checks = ProbeChecks(service, payloads, reference=reference)
    first, *others = _QUESTIONS
    answers = {(first.check, first.kind): ProbeAnswer(checks.keeps_the_reference())}
    try:
        for question in others:
            answers[question.check, question.kind] = _answer(checks, question.check, question.kind)
    finally:
        removals = _answer(checks, "can_remove")
    if answers[_EDITS].yes:
        answers[_EDITS] = removals
    return ProbeReport(answers, reference, tuple(checks.entities), checks.slowest, checks.calls)


def store_report(report: ProbeReport) -> None:
    """Store the report about the configured service. Every call that was missing so far may be tried again."""
    service_profile.update_profile(
        capabilities=report.capabilities(), can_edit=report.answers[_EDITS].yes, lacks=[], probed_at=timezone.now()
    )


def _answer(checks: ProbeChecks, check: str, kind: ResourceKind | None = None) -> ProbeAnswer:
    """Return a check's answer, or the reason why it has none. A call that the service lacks is a clear no."""
    method = getattr(checks, check)
    try:
        yes = method(kind) if kind else method()
    except Unsupported:
        return ProbeAnswer(False)
    except CheckImpossible as error:
        return ProbeAnswer(None, str(error))
    except GatewayError as error:
        status = f"status {error.status}, " if error.status else ""
        return ProbeAnswer(None, f"{type(error).explanation} ({status}request {error.request_id})")
    return ProbeAnswer(yes, "" if yes is not None else "the answer is ambiguous")


def report_rows(report: ProbeReport) -> Iterator[tuple[str, str, str]]:
    for question in _QUESTIONS:
        answer = report.answers[question.check, question.kind]
        if answer.yes:
            yield question.text, "yes", question.if_yes
        elif answer.yes is None:
            yield question.text, f"not known: {answer.reason}", question.otherwise
        else:
            yield question.text, "no", question.otherwise
    settle = timing.settle_time(report.slowest).total_seconds()
    consequence = f"uncertain calls are looked up after {settle:g} seconds"
    yield "How long did the slowest answer take?", f"{report.slowest:.3f} seconds", consequence
