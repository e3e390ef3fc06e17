"""One thing at the formation service as an agent reads it: how it stands, the evidence, and what was decided."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.urls import reverse

from formation_portal.applications.drafts import open_draft
from formation_portal.gateway.envelopes import LONGEST_ID
from formation_portal.relay.agent_words import conclusion_words, outcome_words, state_words
from formation_portal.relay.decisions import is_undecided
from formation_portal.relay.given import NOTE_LIMIT, has_an_id, may_lack_an_id
from formation_portal.relay.inquiry import call_words, inquiry
from formation_portal.relay.models import Decision, Delivery
from formation_portal.relay.naming import Names

from .decision_form import DecisionForm
from .veil import Veil


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of what is known, as components/summary_row.html draws it."""

    term: str
    value: str


@dataclass(frozen=True, slots=True)
class TryLine:
    """One call."""

    started_at: datetime
    ended_at: datetime | None
    words: str
    status: int | None
    request_id: str
    key: str


@dataclass(frozen=True, slots=True)
class LookLine:
    """One reading of the service's records."""

    at: datetime
    words: str
    records: int
    matches: str
    request_id: str


@dataclass(frozen=True)
class DeliveryPage:
    """The whole page. `form` holds what was posted and could not be recorded, and why."""

    row: Delivery
    company: str
    title: str
    words: str
    facts: tuple[Fact, ...]
    tries: tuple[TryLine, ...]
    looks: tuple[LookLine, ...]
    inquiry: str
    decisions: tuple[Decision, ...]
    form: DecisionForm = field(default_factory=DecisionForm)

    id_limit = LONGEST_ID
    note_limit = NOTE_LIMIT

    @property
    def is_undecided(self) -> bool:
        """Whether an agent may decide now."""
        return is_undecided(self.row)

    @property
    def asks_for_id(self) -> bool:
        """Whether such a thing has an id at the service."""
        return has_an_id(self.row.name[0])

    @property
    def id_is_optional(self) -> bool:
        """Whether it can be there without an id that we would know."""
        return may_lack_an_id(self.row.name[0])

    @property
    def is_only_a_change(self) -> bool:
        """Whether the thing is there for sure, and a change of it is in doubt; a deed changes the entity."""
        return self.row.needs_a_decision and (self.row.acknowledged is not None or self.row.name[0].is_deed)

    @property
    def seen(self) -> str:
        """The moment that the page was drawn from, for the form."""
        return self.row.updated_at.isoformat()

    @property
    def case_url(self) -> str:
        """Where its application can be reviewed; empty for one that was not submitted."""
        application = self.row.application
        is_case = application.submitted_at is not None and application.deleted_at is None
        return reverse("desk:review", args=[application.reference]) if is_case else ""


def delivery_page(row: Delivery, *, form: DecisionForm | None = None) -> DeliveryPage:
    """The page as the row stands: one query for the other rows, three for tries, looks and decisions, and some to read
    the application where the service has said something."""
    others = list(Delivery.objects.filter(application_id=row.application_id))
    names = Names(others)
    ids = {other.name: other.remote_id for other in others if other.remote_id}
    return DeliveryPage(
        row=row,
        company=names.application(row),
        title=names.title(row),
        words=state_words(row),
        facts=_facts(row),
        tries=tuple(
            TryLine(one.started_at, one.ended_at, outcome_words(one), one.status, one.request_id, one.key)
            for one in row.tries.all()
        ),
        looks=tuple(
            LookLine(
                one.looked_at, conclusion_words(one), one.records, ", ".join(map(str, one.matches)), one.request_id
            )
            for one in row.seen.all()
        ),
        inquiry=inquiry(row, ids=ids),
        decisions=tuple(row.decisions.all()),
        form=form or DecisionForm(),
    )


def _facts(row: Delivery) -> tuple[Fact, ...]:
    facts = (
        Fact("Call", call_words(row)),
        Fact("Its id at the service", row.remote_id),
        Fact("Idempotency-Key of the last call", row.key),
        *(Fact("What the service said", said) for said in _said(row)),
    )
    return tuple(fact for fact in facts if fact.value)


def _said(row: Delivery) -> Iterator[str]:
    """Its words; what quotes an answer is known by the application, which is read only where there are any."""
    if row.problems:
        veil = Veil(open_draft(row.application))
        yield from (veil.over(str(problem.get("message", ""))) for problem in row.problems)
