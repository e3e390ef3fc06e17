"""Deliveries that agents resolve: the list, the longest waiting first, and one with its evidence and decisions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.readback import answer_in_words
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.gateway.errors import MAX_ID_LENGTH
from formation_portal.relay.models import Attempt, Delivery, DeliveryState, Look, ResourceKind, referenced_name
from formation_portal.relay.provider_message import call_words, provider_message
from formation_portal.relay.resolution import (
    NOTE_LIMIT,
    has_id,
    is_undecided,
    may_inform_provider,
    may_lack_id,
    may_send_again,
    queue_groups,
    steps_to_inform,
)
from formation_portal.relay.wording import (
    Titles,
    conclusion_words,
    outcome_words,
    state_words,
    titles_of,
)
from formation_portal.ui.pagination import ViewLink
from formation_portal.ui.roles import role_words

from ..masking import TextMasking, mask_of
from .forms import ResolutionForm

# Any other is open.
_MARKS = {DeliveryState.HELD: "heed", DeliveryState.WAITING: "half"}


def delivery_views(chosen: str) -> Iterator[ViewLink]:
    """Everything first, then each group. One query."""
    found, address = queue_groups(), reverse("desk:deliveries")
    current = chosen if chosen in {value for value, _, _ in found} else ""
    for value, label, count in found:
        yield ViewLink(f"{address}?{urlencode({'state': value})}" if value else address, label, count, value == current)


def delivery_rows(found: Iterable[Delivery]) -> list["DeliveryRow"]:
    """The rows of one page of the list; one query for all their names."""
    rows = list(found)
    names = titles_of({row.application_id for row in rows})
    return [DeliveryRow(row, names) for row in rows]


@dataclass(frozen=True)
class DeliveryRow:
    """One thing, as it is called beside the others of its application."""

    delivery: Delivery
    names: Titles

    @property
    def title(self) -> str:
        """What it is about."""
        return self.names.title(self.delivery)

    @property
    def company(self) -> str:
        """What its application is called."""
        return self.names.application(self.delivery)

    @property
    def words(self) -> str:
        """How it stands."""
        return state_words(self.delivery)

    @property
    def mark(self) -> str:
        """The mark of how it stands."""
        return "heed" if self.is_undecided else _MARKS.get(DeliveryState(self.delivery.state), "open")

    @cached_property
    def tries(self) -> list[tuple[Attempt, str]]:
        """The calls, the newest first, each with its outcome."""
        return [(one, outcome_words(one)) for one in self.delivery.tries.all()]

    @property
    def is_undecided(self) -> bool:
        """Whether an agent may decide now."""
        return is_undecided(self.delivery)


@dataclass(frozen=True)
class DeliveryPage(DeliveryRow):
    """The whole page of one thing; `others` are all of its application. `form` holds what was posted and could not be
    recorded, and why."""

    others: tuple[Delivery, ...]
    form: ResolutionForm

    id_limit = MAX_ID_LENGTH
    note_limit = NOTE_LIMIT

    @property
    def provider_message(self) -> str:
        """The text to send to the provider."""
        ids = {other.name: other.remote_id for other in self.others if other.remote_id}
        return provider_message(self.delivery, ids=ids)

    @property
    def looks(self) -> list[tuple[Look, str]]:
        """The readings of the service's records, each with what was concluded."""
        return [(one, conclusion_words(one)) for one in self.delivery.seen.all()]

    @property
    def facts(self) -> Iterator[tuple[str, str]]:
        """Terms with their values."""
        row = self.delivery
        yield "Call", call_words(row)
        yield "ID at the formation service", row.remote_id
        yield "Idempotency-Key of the last call", row.key
        if row.problems:
            # What quotes an answer is known by the application, which is read only where there are any words.
            masking = TextMasking(open_draft(row.application))
            for problem in row.problems:
                yield "Message from the formation service", masking.masked(_problem_words(problem))

    @property
    def may_send_again(self) -> bool:
        return may_send_again(self.delivery)

    @property
    def may_be_told(self) -> bool:
        """Whether an agent may record that the provider was told by hand."""
        return may_inform_provider(self.delivery)

    @property
    def asks_for_id(self) -> bool:
        """Whether such a thing has an id at the service, which a decision has to name."""
        is_known = self.may_be_told and self.delivery.acknowledged is not None
        return has_id(self.delivery.resource_kind) and not is_known

    @property
    def id_is_optional(self) -> bool:
        """Whether it can be there without an id that we would know."""
        return may_lack_id(self.delivery.resource_kind)

    @property
    def is_only_a_change(self) -> bool:
        """Whether the thing is there for sure, and a change of it is in doubt; a transition changes the entity."""
        row = self.delivery
        return row.needs_a_decision and (row.acknowledged is not None or row.is_transition)

    @property
    def is_case(self) -> bool:
        """Whether its application can be reviewed."""
        return self.delivery.application.submitted_at is not None and self.delivery.application.deleted_at is None

    @property
    def steps(self) -> list[tuple[Delivery, str]]:
        """The other steps of the application that the provider is to be told of by hand, and what each is about."""
        return [(step, self.names.title(step)) for step in steps_to_inform(self.delivery)]

    @cached_property
    def to_tell(self) -> list[tuple[str, str, str]]:
        """What differs between what the service has acknowledged and what is wanted there: what it is called, and both
        values in words. Numbers that somebody is known by are masked, as everywhere on the desk."""
        row = self.delivery
        if row.wanted is None or row.is_transition:
            return []
        draft, was, wanted = open_draft(row.application), row.acknowledged or {}, row.wanted
        specs = {spec.name: spec for spec in _specs(draft, row, (was, wanted))}
        old, new = was.get("answers", {}), wanted.get("answers", {})
        answers = [
            (spec.label, _answer(draft, row, spec, old), _answer(draft, row, spec, new))
            for name in {**old, **new}
            if old.get(name) != new.get(name) and (spec := specs.get(name))
        ]
        return answers + [
            (label, _plain(was.get(name)), _plain(wanted.get(name)))
            for name, label in _BESIDE_ANSWERS.items()
            if was.get(name) != wanted.get(name)
        ]


def delivery_page(row: Delivery, *, form: ResolutionForm | None = None) -> DeliveryPage:
    """The page as the row stands: one query for the other rows, three for tries, looks and decisions, and some to read
    the application where the service has said something, or the provider is to be told by hand."""
    others = tuple(Delivery.objects.filter(application_id=row.application_id))
    return DeliveryPage(row, Titles(others), others, form or ResolutionForm())


def _problem_words(problem: Mapping[str, Any]) -> str:
    """Return a refusal in the service's own words, with the field and the code that it names."""
    field, code = problem.get("field", ""), problem.get("code", "")
    text = ": ".join(part for part in (field, str(problem.get("message", ""))) if part)
    return f"{text} (code {code})" if code else text


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
    words = answer_in_words(spec, reference[1] if reference else value, draft.share_class_choices)
    party = draft.party(row.subject)
    if words and party and canonical.is_identity_number(spec.canonical_field, kind=party.kind):
        return str(mask_of(words))
    return words


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return role_words(value)
    return f"{value:,}" if isinstance(value, int) else str(value or "")
