"""A message to the provider about a delivery that nobody here can resolve: ready to send, without personal data."""

from collections.abc import Iterator
from datetime import UTC, datetime

from .calls import bodies
from .calls.routes import CREATE, REMOVE, sent_action, wanted_action
from .models import (
    AMBIGUOUS,
    DUPLICATE,
    ENTITY,
    STATE_CONFLICT,
    UNCLEAR,
    UNSUPPORTED,
    Delivery,
    ResourceKind,
    referenced_names,
)
from .wording import outcome_words, state_words

# As the interface's "Endpoints" has them; edits and removals are those of the supplement.
_PATHS = {
    ResourceKind.ENTITY: "/entities",
    ResourceKind.ENTITY_CSP: "/entities/{id}/csp-data",
    ResourceKind.SHARE_CLASS: "/entities/{id}/share-classes",
    ResourceKind.SHARE_CLASS_CSP: "/entities/{id}/csp-data",
    ResourceKind.PARTY: "/entities/{id}/parties",
    ResourceKind.PARTY_CSP: "/entities/{id}/csp-data",
    ResourceKind.DOCUMENT: "/entities/{id}/documents",
    ResourceKind.SHAREHOLDING: "/entities/{id}/shareholdings",
    ResourceKind.SUBMISSION: "/entities/{id}/submit",
    ResourceKind.STATUS: "/entities/{id}/status",
}
_POSTED_ALWAYS = (ResourceKind.DOCUMENT, ResourceKind.SUBMISSION, ResourceKind.STATUS)


def provider_message(row: Delivery, *, ids: dict[tuple[ResourceKind, str], str]) -> str:
    """The whole text. `ids` are the remote ids within the row's application; attempts and lookups come with the row."""
    return "\n".join((*_facts(row, ids), "", *_calls(row), *_lookups(row), "Please tell us:", *_questions(row), ""))


def call_words(row: Delivery) -> str:
    """The call that was made, or is to be: method and path."""
    kind = row.resource_kind
    path = f"/api/v1{_PATHS[kind]}"
    action = sent_action(row) if row.key else wanted_action(row)
    if kind.is_csp or action == CREATE or (kind in _POSTED_ALWAYS and action != REMOVE):
        return f"POST {path}"
    return f"{'DELETE' if action == REMOVE else 'PATCH'} {path}/{row.remote_id}"


def _facts(row: Delivery, ids: dict[tuple[ResourceKind, str], str]) -> Iterator[str]:
    reference = row.application.reference
    yield f"About {reference}: {state_words(row)}"
    yield ""
    yield f"Call: {call_words(row)}"
    yield f"Our reference (client_reference of the entity): {reference}"
    yield f"Entity: {ids.get(ENTITY) or 'ID not known to us'}"
    if row.resource_kind is ResourceKind.STATUS and (payload := row.wanted or row.sent):
        yield f"Status we sent: {payload['status']}"
    if row.remote_id and row.name != ENTITY:
        yield f"ID, as far as we know: {row.remote_id}"
    for name in dict.fromkeys(referenced_names(row.sent or row.wanted)):
        yield f"Refers to the {name[0].replace('_', ' ')} {ids.get(name) or 'whose ID we do not know'}"
    if row.reason == UNSUPPORTED:
        yield _wanted_change(row)


def _wanted_change(row: Delivery) -> str:
    """What should change there, by the names of its members and never by their values."""
    if row.wanted is None:
        return "Please remove it."
    kind, known = row.resource_kind, row.acknowledged
    names = bodies.full_body(kind, row.wanted) if known is None else bodies.changed_members(kind, known, row.wanted)
    if not names:
        return "It should match what we last sent."
    return f"{'Please add it, with' if known is None else 'Changed'}: {', '.join(names)}"


def _calls(row: Delivery) -> Iterator[str]:
    tries = sorted(row.tries.all(), key=lambda one: one.pk)
    if not tries:
        return
    yield "What we sent (times in UTC):"
    for attempt in tries:
        parts = (
            outcome_words(attempt),
            f"status {attempt.status}" if attempt.status else "",
            f"X-Request-Id {attempt.request_id}" if attempt.request_id else "",
            f"Idempotency-Key {attempt.key}" if attempt.key else "",
        )
        yield f"- {utc_time(attempt.started_at)}: {'; '.join(part for part in parts if part)}"
    yield ""


def _lookups(row: Delivery) -> Iterator[str]:
    looks = sorted(row.seen.all(), key=lambda one: one.pk)
    if not looks:
        return
    yield "What we found in your records since:"
    for look in looks:
        matches = f"possible match: {', '.join(map(str, look.matches))}" if look.matches else "no match"
        records = f"{look.records} record{'' if look.records == 1 else 's'}"
        identifier = f"; X-Request-Id {look.request_id}" if look.request_id else ""
        yield f"- {utc_time(look.looked_at)}: {records}, {matches}{identifier}"
    yield ""


def _questions(row: Delivery) -> tuple[str, ...]:
    if row.is_transition and row.reason in (UNCLEAR, STATE_CONFLICT):
        return (
            "1. What is the entity’s status on your side, and since when?",
            "2. Was it set by one of these calls or by your staff?",
            "3. If this status is final, please tell us why. If not, when can we send this again?",
        )
    if row.reason in (UNCLEAR, AMBIGUOUS):
        return (
            "1. Did any of these calls create a record? If so, what is its ID?",
            "2. If several were created, what are their IDs? Please keep one, remove the others and tell us which.",
            "3. If none was created, could one of these calls still create one?",
        )
    if row.reason == DUPLICATE:
        return (
            "1. Which records did these calls create? What are their IDs?",
            "2. Please keep one, remove the others and tell us which.",
        )
    if row.reason == UNSUPPORTED:
        return (
            "1. We have no call for this. Can you make the change on your side?",
            "2. How can we send you the values?",
        )
    return (
        "1. What is its status on your side?",
        "2. What needs to happen so that it matches our side?",
    )


def utc_time(at: datetime) -> str:
    """2026-11-21 18:20:05, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
