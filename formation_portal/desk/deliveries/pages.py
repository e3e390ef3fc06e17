"""Deliveries that agents resolve: the list, the longest waiting first, and one with its evidence and decisions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.readback import answer_in_words, share_class_choices
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.gateway.errors import MAX_ID_LENGTH
from formation_portal.relay.models import Attempt, Decision, Delivery, DeliveryState, Look
from formation_portal.relay.provider_message import call_words, provider_message
from formation_portal.relay.resolution import (
    NOTE_LIMIT,
    has_id,
    is_undecided,
    may_inform_provider,
    may_lack_id,
    queue_groups,
    steps_to_inform,
)
from formation_portal.relay.resources import ResourceKind, referenced_name
from formation_portal.relay.wording import (
    Titles,
    conclusion_words,
    outcome_words,
    state_words,
    titles_of,
)
from formation_portal.ui.roles import role_words

from ..masking import TextMasking, mask_of
from ..wording import if_any
from .forms import ResolutionForm

_MARKS = {DeliveryState.HELD: "heed", DeliveryState.REFUSED: "open", DeliveryState.WAITING: "half"}


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """One way to look at the list, with how many things it shows."""

    url: str
    label: str
    count: int
    is_current: bool


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One thing. `since` is when its trouble began; `tries` and `last` say what was tried."""

    url: str
    title: str
    company: str
    reference: str
    mark: str
    words: str
    since: datetime
    tries: str
    last: str


def delivery_views(chosen: str) -> tuple[DeliveryView, ...]:
    """Everything first, then each group."""
    found = queue_groups()
    address = reverse("desk:deliveries")
    known = {value for value, _, _ in found}
    return tuple(
        DeliveryView(
            f"{address}?{urlencode({'state': value})}" if value else address,
            label,
            count,
            value == (chosen if chosen in known else ""),
        )
        for value, label, count in found
    )


def delivery_rows(found: Iterable[Delivery]) -> tuple[DeliveryRow, ...]:
    """The rows of one page of the list; one query for all their names."""
    rows = list(found)
    return tuple(_rows(rows, titles_of({row.application_id for row in rows})))


def _rows(rows: Iterable[Delivery], names: Titles) -> Iterable[DeliveryRow]:
    for row in rows:
        tries = list(row.tries.all())
        yield DeliveryRow(
            url=reverse("desk:delivery", args=[row.pk]),
            title=names.title(row),
            company=names.application(row),
            reference=row.application.reference,
            mark="stop" if is_undecided(row) else _MARKS.get(DeliveryState(row.state), "open"),
            words=state_words(row),
            since=row.since,  # type: ignore[attr-defined]  # annotated by `concerns`
            tries=if_any(len(tries), "call") or "No calls yet",
            last=outcome_words(tries[0]) if tries else "",
        )


@dataclass(frozen=True, slots=True)
class ValueToReport:
    """One value that the provider is to be told by hand: what the service has, and what it should have."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class StepToReport:
    """Another step of the application that the provider is to be told of by hand."""

    number: int
    title: str
    is_ticked: bool


@dataclass(frozen=True)
class DeliveryPage:
    """The whole page. `facts` are terms with their values, `tries` and `looks` the calls and the readings of the
    service's records, each with its outcome in words. `form` holds what was posted and could not be recorded, and why.
    """

    row: Delivery
    company: str
    title: str
    words: str
    facts: tuple[tuple[str, str], ...]
    tries: tuple[tuple[Attempt, str], ...]
    looks: tuple[tuple[Look, str], ...]
    inquiry: str
    decisions: tuple[Decision, ...]
    to_tell: tuple[ValueToReport, ...]
    steps: tuple[StepToReport, ...]
    form: ResolutionForm = field(default_factory=ResolutionForm)

    id_limit = MAX_ID_LENGTH
    note_limit = NOTE_LIMIT

    @property
    def is_undecided(self) -> bool:
        """Whether an agent may decide now."""
        return is_undecided(self.row)

    @property
    def may_be_told(self) -> bool:
        """Whether an agent may record that the provider was told by hand."""
        return may_inform_provider(self.row)

    @property
    def is_removal(self) -> bool:
        """Whether it should not be there any more."""
        return self.row.wanted is None

    @property
    def asks_for_id(self) -> bool:
        """Whether such a thing has an id at the service, which a decision has to name."""
        is_known = self.may_be_told and self.row.acknowledged is not None
        return has_id(self.row.resource_kind) and not is_known

    @property
    def id_is_optional(self) -> bool:
        """Whether it can be there without an id that we would know."""
        return may_lack_id(self.row.resource_kind)

    @property
    def is_only_a_change(self) -> bool:
        """Whether the thing is there for sure, and a change of it is in doubt; a deed changes the entity."""
        return self.row.needs_a_decision and (self.row.acknowledged is not None or self.row.is_transition)

    @property
    def seen(self) -> str:
        """The moment that the page was drawn from, for the form."""
        return self.row.updated_at.isoformat()

    @property
    def case_url(self) -> str:
        """Where its application can be reviewed; empty for one that was not submitted."""
        application = self.row.application
        is_case = application.submitted_at is not None and application.deleted_at is None
        return reverse("desk:case", args=[application.reference]) if is_case else ""


def delivery_page(row: Delivery, *, form: ResolutionForm | None = None) -> DeliveryPage:
    """The page as the row stands: one query for the other rows, three for tries, looks and decisions, and some to read
    the application where the service has said something, or the provider is to be told by hand."""
    others = list(Delivery.objects.filter(application_id=row.application_id))
    names = Titles(others)
    ids = {other.name: other.remote_id for other in others if other.remote_id}
    return DeliveryPage(
        row=row,
        company=names.application(row),
        title=names.title(row),
        words=state_words(row),
        facts=_facts(row),
        tries=tuple((one, outcome_words(one)) for one in row.tries.all()),
        looks=tuple((one, conclusion_words(one)) for one in row.seen.all()),
        inquiry=provider_message(row, ids=ids),
        decisions=tuple(row.decisions.all()),
        to_tell=tuple(_to_tell(row)) if may_inform_provider(row) else (),
        steps=tuple(
            StepToReport(step.pk, names.title(step), form is not None and step.pk in form.also)
            for step in (steps_to_inform(row) if may_inform_provider(row) else ())
        ),
        form=form or ResolutionForm(),
    )


def _facts(row: Delivery) -> tuple[tuple[str, str], ...]:
    problems: list[str] = []
    if row.problems:
        # What quotes an answer is known by the application, which is read only where there are any words.
        masking = TextMasking(open_draft(row.application))
        problems = [masking.masked(str(problem.get("message", ""))) for problem in row.problems]
    facts = (
        ("Call", call_words(row)),
        ("ID at the formation service", row.remote_id),
        ("Idempotency-Key of the last call", row.key),
        *(("Message from the formation service", said) for said in problems),
    )
    return tuple((term, value) for term, value in facts if value)


def _to_tell(row: Delivery) -> Iterator[ValueToReport]:
    """What differs between what the service has acknowledged and what is wanted there, in words. Numbers that somebody
    is known by are masked, as everywhere on the desk."""
    if row.wanted is None or row.is_transition:
        return
    draft, was, wanted = open_draft(row.application), row.acknowledged or {}, row.wanted
    specs = {spec.name: spec for spec in _specs(draft, row, (was, wanted))}
    old, new = was.get("answers", {}), wanted.get("answers", {})
    for name in {**old, **new}:
        if old.get(name) != new.get(name) and (spec := specs.get(name)):
            yield ValueToReport(spec.label, _answer(draft, row, spec, old), _answer(draft, row, spec, new))
    for name, label in _BESIDE_ANSWERS.items():
        if was.get(name) != wanted.get(name):
            yield ValueToReport(label, _plain(was.get(name)), _plain(wanted.get(name)))


# What a payload holds beside answers that people have to be told.
_BESIDE_ANSWERS = {"roles": "Roles", "shares_held": "Shares held", "name": "File"}


def _specs(draft: Draft, row: Delivery, payloads: Iterable[Mapping[str, Any]]) -> Iterable[FieldSpec]:
    kind = row.resource_kind
    if kind in (ResourceKind.PARTY, ResourceKind.PARTY_CSP):
        party = draft.party(row.subject)
        roles = dict.fromkeys(role for payload in payloads for role in payload.get("roles", ()))
        return draft.schema.fields_of(party.kind, (*roles, *party.roles)) if party else ()
    is_of_class = kind in (ResourceKind.SHARE_CLASS, ResourceKind.SHARE_CLASS_CSP)
    return draft.schema.share_class_fields if is_of_class else draft.schema.entity_fields


def _answer(draft: Draft, row: Delivery, spec: FieldSpec, answers: Mapping[str, Any]) -> str:
    value = answers.get(spec.name)
    reference = referenced_name(value)
    words = answer_in_words(spec, reference[1] if reference else value, share_class_choices(draft))
    party = draft.party(row.subject)
    if words and party and canonical.is_identity_number(spec.canonical_field, kind=party.kind):
        return str(mask_of(words))
    return words


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return role_words(value)
    return f"{value:,}" if isinstance(value, int) else str(value or "")
