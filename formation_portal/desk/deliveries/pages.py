"""Show the deliveries that agents resolve: the list, and each with its evidence and decisions."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from django.urls import reverse

from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.readback import answer_in_words
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.gateway.errors import MAX_ID_LENGTH
from formation_portal.relay.models import Delivery, DeliveryState, ResourceKind, referenced_name
from formation_portal.relay.provider_message import call_words, provider_message
from formation_portal.relay.resolution import (
    NOTE_LIMIT,
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
from ..url_queries import query_string
from .forms import ResolutionForm

# Other states: open.
_MARKS = {DeliveryState.HELD: "warning", DeliveryState.WAITING: "half"}
# The labels of a payload's values that are no answers.
_LABELS = {"roles": "Roles", "shares_held": "Shares held", "name": "File"}


def delivery_views(chosen: str) -> Iterator[ViewLink]:
    """Yield a link to all deliveries, then one to each group, each with its number of deliveries. One SQL query."""
    groups = queue_groups()
    address = reverse("desk:deliveries")
    if chosen not in [value for value, _, _ in groups]:
        chosen = ""
    for value, label, count in groups:
        yield ViewLink(address + query_string({"state": value}), label, count, value == chosen)


def delivery_rows(deliveries: Collection[Delivery]) -> list[dict[str, Any]]:
    """Describe the deliveries on a page of the list. One SQL query for all titles."""
    titles = titles_of({delivery.application_id for delivery in deliveries})
    return [_described(delivery, titles) for delivery in deliveries]


def _described(delivery: Delivery, titles: Titles) -> dict[str, Any]:
    """Return a delivery with its title, distinct in its application, and its calls, newest first."""
    undecided = is_undecided(delivery)
    return {
        "delivery": delivery,
        "title": titles.title(delivery),
        "company": titles.application(delivery),
        "words": state_words(delivery),
        "is_undecided": undecided,
        "mark": "warning" if undecided else _MARKS.get(DeliveryState(delivery.state), "open"),
        "calls": [(attempt, outcome_words(attempt)) for attempt in delivery.calls.all()],
    }


def delivery_page(delivery: Delivery, form: ResolutionForm) -> dict[str, Any]:
    """Describe a delivery with its evidence and the agent's choices. One SQL query; more to read the application where
    the service has sent a message, or the provider is informed by hand.
    """
    others = Delivery.objects.filter(application_id=delivery.application_id)
    titles = Titles(others)
    ids = {other.name: other.remote_id for other in others if other.remote_id}
    may_be_told = may_inform_provider(delivery)
    is_acknowledged = delivery.acknowledged is not None
    return {
        **_described(delivery, titles),
        "form": form,
        "id_limit": MAX_ID_LENGTH,
        "note_limit": NOTE_LIMIT,
        "facts": _facts(delivery),
        "looks": [(look, conclusion_words(look)) for look in delivery.lookups.all()],
        "provider_message": provider_message(delivery, ids=ids),
        "may_send_again": may_send_again(delivery),
        "may_be_told": may_be_told,
        "to_tell": list(_differences_to_tell(delivery)) if may_be_told else [],
        "steps": _other_steps(delivery, titles),
        "asks_for_id": delivery.resource_kind.has_id and not (may_be_told and is_acknowledged),
        "id_is_optional": may_lack_id(delivery.resource_kind),
        # A transition changes an entity.
        "is_only_a_change": delivery.needs_a_decision and (is_acknowledged or delivery.is_transition),
    }


def _facts(delivery: Delivery) -> Iterator[tuple[str, str]]:
    """Yield labels with values; identity numbers in the service's messages are masked."""
    yield "Call", call_words(delivery)
    yield "ID at the formation service", delivery.remote_id
    yield "Idempotency-Key of the last call", delivery.key
    if delivery.problems:
        masking = TextMasking(open_draft(delivery.application))
        for problem in delivery.problems:
            text = ": ".join(filter(None, (problem.get("field", ""), str(problem.get("message", "")))))
            if code := problem.get("code", ""):
                text += f" (code {code})"
            yield "Message from the formation service", masking.masked(text)


def _other_steps(delivery: Delivery, titles: Titles) -> Iterator[tuple[Delivery, str]]:
    """Yield the other steps that are told to the service by hand. One SQL query, at the first step."""
    for step in steps_to_inform(delivery):
        yield step, titles.title(step)


def _differences_to_tell(delivery: Delivery) -> Iterator[tuple[str, str, str]]:
    """Yield label, acknowledged value and wanted value where these values differ, with identity numbers masked."""
    desired = delivery.wanted
    if desired is None or delivery.is_transition:
        return
    draft = open_draft(delivery.application)
    before = delivery.acknowledged or {}
    old = before.get("answers", {})
    new = desired.get("answers", {})
    specs = {spec.name: spec for spec in _specs(draft, delivery, (before, desired))}
    for name in {**old, **new}:
        if name in specs and old.get(name) != new.get(name):
            spec = specs[name]
            old_text = _answer(draft, delivery, spec, old.get(name))
            yield spec.label, old_text, _answer(draft, delivery, spec, new.get(name))
    for name, label in _LABELS.items():
        if before.get(name) != desired.get(name):
            yield label, _plain(before.get(name)), _plain(desired.get(name))


def _specs(draft: Draft, delivery: Delivery, payloads: Iterable[Mapping[str, Any]]) -> Iterable[FieldSpec]:
    kind = delivery.resource_kind
    if kind in (ResourceKind.PARTY, ResourceKind.PARTY_CSP):
        party = draft.party(delivery.subject)
        if party is None:
            return ()
        roles = list(party.roles)
        for payload in payloads:
            roles += payload.get("roles", ())
        return draft.schema.fields_of(party.kind, roles)
    if kind in (ResourceKind.SHARE_CLASS, ResourceKind.SHARE_CLASS_CSP):
        return draft.schema.share_class_fields
    return draft.schema.entity_fields


def _answer(draft: Draft, delivery: Delivery, spec: FieldSpec, value: Any) -> str:
    if reference := referenced_name(value):
        value = reference[1]
    text = answer_in_words(spec, value, draft.share_class_choices)
    party = draft.party(delivery.subject)
    if text and party and canonical.is_identity_number(spec.canonical_field, kind=party.kind):
        return str(mask_of(text))
    return text


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return role_words(value)
    return f"{value:,}" if isinstance(value, int) else str(value or "")
