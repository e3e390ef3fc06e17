"""A text for the provider about a thing that nobody here can settle: ready to send, without personal data."""

from collections.abc import Iterator
from datetime import UTC, datetime

from . import bodies
from .agent_words import outcome_words, state_words
from .kinds import ENTITY, Kind
from .models import OTHERWISE, SURPLUS, TWINS, UNCLEAR, UNSUPPORTED, Attempt, Delivery, Look
from .references import names_in
from .routes import CREATE, REMOVE, action_of, sent_action

# As the interface's "Endpoints" has them; edits and removals are those of the supplement.
_PATHS = {
    Kind.ENTITY: "/entities",
    Kind.ENTITY_CSP: "/entities/{id}/csp-data",
    Kind.SHARE_CLASS: "/entities/{id}/share-classes",
    Kind.SHARE_CLASS_CSP: "/entities/{id}/csp-data",
    Kind.PARTY: "/entities/{id}/parties",
    Kind.PARTY_CSP: "/entities/{id}/csp-data",
    Kind.DOCUMENT: "/entities/{id}/documents",
    Kind.SHAREHOLDING: "/entities/{id}/shareholdings",
    Kind.SUBMISSION: "/entities/{id}/submit",
    Kind.STATUS: "/entities/{id}/status",
}
_POSTED_ALWAYS = (Kind.DOCUMENT, Kind.SUBMISSION, Kind.STATUS)


def inquiry(row: Delivery, *, ids: dict[tuple[Kind, str], str]) -> str:
    """The whole text. `ids` are the remote ids within the row's application; attempts and looks come with the row."""
    return "\n".join((*_facts(row, ids), "", *_calls(row), *_looks(row), "Please tell us:", *_questions(row), ""))


def call_words(row: Delivery) -> str:
    """The call that was made, or is to be: method and path."""
    kind = row.name[0]
    path = f"/api/v1{_PATHS[kind]}"
    action = sent_action(row) if row.key else action_of(row)
    if kind.is_csp or action == CREATE or (kind in _POSTED_ALWAYS and action != REMOVE):
        return f"POST {path}"
    return f"{'DELETE' if action == REMOVE else 'PATCH'} {path}/{row.remote_id}"


def _facts(row: Delivery, ids: dict[tuple[Kind, str], str]) -> Iterator[str]:
    reference = row.application.reference
    yield f"About {reference}: {state_words(row)}"
    yield ""
    yield f"Call: {call_words(row)}"
    yield f"Our reference (client_reference of the entity): {reference}"
    yield f"Entity: {ids.get(ENTITY) or 'ID not known to us'}"
    if row.name[0] is Kind.STATUS and (payload := row.wanted or row.sent):
        yield f"Status we sent: {payload['status']}"
    if row.remote_id and row.name != ENTITY:
        yield f"ID, as far as we know: {row.remote_id}"
    for name in dict.fromkeys(names_in(row.sent or row.wanted)):
        yield f"Refers to the {name[0].replace('_', ' ')} {ids.get(name) or 'whose ID we do not know'}"
    if row.reason == UNSUPPORTED:
        yield _wish(row)


def _wish(row: Delivery) -> str:
    """What should change there, by the names of its members and never by their values."""
    if row.wanted is None:
        return "Please remove it."
    kind, known = row.name[0], row.acknowledged
    names = bodies.whole(kind, row.wanted) if known is None else bodies.difference(kind, known, row.wanted)
    if not names:
        return "It should match what we last sent."
    return f"{'Please add it, with' if known is None else 'Changed'}: {', '.join(names)}"


def _calls(row: Delivery) -> Iterator[str]:
    tries = sorted(row.tries.all(), key=lambda one: one.pk)
    if not tries:
        return
    yield "What we sent (times in UTC):"
    for attempt in tries:
        yield f"- {moment(attempt.started_at)}: {outcome_words(attempt)}{_said(attempt)}"
    yield ""


def _said(attempt: Attempt) -> str:
    parts = (
        f"status {attempt.status}" if attempt.status else "",
        f"X-Request-Id {attempt.request_id}" if attempt.request_id else "",
        f"Idempotency-Key {attempt.key}" if attempt.key else "",
    )
    return "".join(f"; {part}" for part in parts if part)


def _looks(row: Delivery) -> Iterator[str]:
    looks = sorted(row.seen.all(), key=lambda one: one.pk)
    if not looks:
        return
    yield "What we found in your records since:"
    yield from (f"- {_reading(look)}" for look in looks)
    yield ""


def _reading(look: Look) -> str:
    matches = f"possible match: {', '.join(map(str, look.matches))}" if look.matches else "no match"
    records = f"{look.records} record{'' if look.records == 1 else 's'}"
    said = f"; X-Request-Id {look.request_id}" if look.request_id else ""
    return f"{moment(look.looked_at)}: {records}, {matches}{said}"


def _questions(row: Delivery) -> tuple[str, ...]:
    if row.name[0].is_deed and row.reason in (UNCLEAR, OTHERWISE):
        return (
            "1. What is the entity’s status on your side, and since when?",
            "2. Was it set by one of these calls or by your staff?",
            "3. If this status is final, please tell us why. If not, when can we send this again?",
        )
    if row.reason in (UNCLEAR, TWINS):
        return (
            "1. Did any of these calls create a record? If so, what is its ID?",
            "2. If several were created, what are their IDs? Please keep one, remove the others and tell us which.",
            "3. If none was created, could one of these calls still create one?",
        )
    if row.reason == SURPLUS:
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


def moment(at: datetime) -> str:
    """2026-11-21 18:20:05, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
