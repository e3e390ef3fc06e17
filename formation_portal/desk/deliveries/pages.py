"""Show the deliveries that agents resolve: the list, and one with its evidence and decisions."""

from collections.abc import Collection, Iterable, Iterator, Mapping
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
    """Yield the links to all deliveries, and to each group. One query."""
    groups = queue_groups()
    address = reverse("desk:deliveries")
    current = chosen if any(value == chosen for value, _, _ in groups) else ""
    for value, label, count in groups:
        url = f"{address}?{urlencode({'state': value})}" if value else address
        yield ViewLink(url, label, count, value == current)


def delivery_rows(deliveries: Collection[Delivery]) -> list["DeliveryRow"]:
    """Return the rows of one page of the list. One query for all their names."""
    titles = titles_of({delivery.application_id for delivery in deliveries})
    return [DeliveryRow(delivery, titles) for delivery in deliveries]


@dataclass(frozen=True)
class DeliveryRow:
    """A delivery with its title among the others of its application."""

    delivery: Delivery
    names: Titles

    @property
    def title(self) -> str:
        return self.names.title(self.delivery)

    @property
    def company(self) -> str:
        return self.names.application(self.delivery)

    @property
    def words(self) -> str:
        return state_words(self.delivery)

    @property
    def mark(self) -> str:
        return "heed" if self.is_undecided else _MARKS.get(DeliveryState(self.delivery.state), "open")

    @cached_property
    def tries(self) -> list[tuple[Attempt, str]]:
        """Return the calls, the newest first, each with its outcome in words."""
        return [(attempt, outcome_words(attempt)) for attempt in self.delivery.tries.all()]

    @property
    def is_undecided(self) -> bool:
        return is_undecided(self.delivery)


@dataclass(frozen=True)
class DeliveryPage(DeliveryRow):
    """The page of one delivery; `others` are all of its application. `form` has the errors of a refused post."""

    others: tuple[Delivery, ...]
    form: ResolutionForm

    id_limit = MAX_ID_LENGTH
    note_limit = NOTE_LIMIT

    @property
    def provider_message(self) -> str:
        """Return the text of the e-mail to the provider."""
        ids = {other.name: other.remote_id for other in self.others if other.remote_id}
        return provider_message(self.delivery, ids=ids)

    @property
    def looks(self) -> list[tuple[Look, str]]:
        """Return the readings of the service's records, each with its conclusion in words."""
        return [(look, conclusion_words(look)) for look in self.delivery.seen.all()]

    @property
    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield terms with their values."""
        delivery = self.delivery
        yield "Call", call_words(delivery)
        yield "ID at the formation service", delivery.remote_id
        yield "Idempotency-Key of the last call", delivery.key
        if delivery.problems:
            masking = TextMasking(open_draft(delivery.application))
            for problem in delivery.problems:
                yield "Message from the formation service", masking.masked(_problem_words(problem))

    @property
    def may_send_again(self) -> bool:
        return may_send_again(self.delivery)

    @property
    def may_be_told(self) -> bool:
        """Report that an agent may record that the provider was informed by hand."""
        return may_inform_provider(self.delivery)

    @property
    def asks_for_id(self) -> bool:
        """Report that the decision has to name the id at the service."""
        is_known = self.may_be_told and self.delivery.acknowledged is not None
        return has_id(self.delivery.resource_kind) and not is_known

    @property
    def id_is_optional(self) -> bool:
        """Report that it can exist at the service without an id."""
        return may_lack_id(self.delivery.resource_kind)

    @property
    def is_only_a_change(self) -> bool:
        """Report that only a change is in doubt, and not its resource. A transition changes the entity."""
        delivery = self.delivery
        return delivery.needs_a_decision and (delivery.acknowledged is not None or delivery.is_transition)

    @property
    def is_case(self) -> bool:
        """Report that its application can be reviewed."""
        return self.delivery.application.submitted_at is not None and self.delivery.application.deleted_at is None

    @property
    def steps(self) -> list[tuple[Delivery, str]]:
        """Return the other steps of which the provider has to be informed by hand, with their titles."""
        return [(step, self.names.title(step)) for step in steps_to_inform(self.delivery)]

    @cached_property
    def to_tell(self) -> list[tuple[str, str, str]]:
        """Return the differences between the acknowledged and the wanted state: a label, and both values in words, with
        identity numbers masked."""
        delivery = self.delivery
        if delivery.wanted is None or delivery.is_transition:
            return []
        draft = open_draft(delivery.application)
        desired = delivery.wanted
        before = delivery.acknowledged or {}
        old = before.get("answers", {})
        new = desired.get("answers", {})
        specs = {spec.name: spec for spec in _specs(draft, delivery, (before, desired))}
        differences = []
        for name in {**old, **new}:
            if name in specs and old.get(name) != new.get(name):
                spec = specs[name]
                old_text = _answer(draft, delivery, spec, old.get(name))
                differences.append((spec.label, old_text, _answer(draft, delivery, spec, new.get(name))))
        for name, label in _BESIDE_ANSWERS.items():
            if before.get(name) != desired.get(name):
                differences.append((label, _plain(before.get(name)), _plain(desired.get(name))))
        return differences


def delivery_page(delivery: Delivery, *, form: ResolutionForm | None = None) -> DeliveryPage:
    """Read the page of a delivery.

    One query for the others, three for tries, looks and decisions, and some to read the application where the service
    has sent a message, or the provider has to be informed by hand.
    """
    others = tuple(Delivery.objects.filter(application_id=delivery.application_id))
    return DeliveryPage(delivery, Titles(others), others, form or ResolutionForm())


def _problem_words(problem: Mapping[str, Any]) -> str:
    """Return a refusal in the service's own words, with the field and the code that it names."""
    field, code = problem.get("field", ""), problem.get("code", "")
    text = ": ".join(part for part in (field, str(problem.get("message", ""))) if part)
    return f"{text} (code {code})" if code else text


# The labels of a payload's other values that the provider has to be informed of.
_BESIDE_ANSWERS = {"roles": "Roles", "shares_held": "Shares held", "name": "File"}


def _specs(draft: Draft, delivery: Delivery, payloads: Iterable[Mapping[str, Any]]) -> Iterable[FieldSpec]:
    kind = delivery.resource_kind
    if kind in (ResourceKind.PARTY, ResourceKind.PARTY_CSP):
        party = draft.party(delivery.subject)
        roles = dict.fromkeys(role for payload in payloads for role in payload.get("roles", ()))
        return draft.schema.fields_of(party.kind, (*roles, *party.roles)) if party else ()
    is_of_class = kind in (ResourceKind.SHARE_CLASS, ResourceKind.SHARE_CLASS_CSP)
    return draft.schema.share_class_fields if is_of_class else draft.schema.entity_fields


def _answer(draft: Draft, delivery: Delivery, spec: FieldSpec, value: Any) -> str:
    reference = referenced_name(value)
    text = answer_in_words(spec, reference[1] if reference else value, draft.share_class_choices)
    party = draft.party(delivery.subject)
    if text and party and canonical.is_identity_number(spec.canonical_field, kind=party.kind):
        return str(mask_of(text))
    return text


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return role_words(value)
    return f"{value:,}" if isinstance(value, int) else str(value or "")
