"""Update a draft's deliveries to the state that the service should have, in the transaction of the change.

Payloads hold active, readable answers only, by field name, with references to other resources.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change, document_subject
from formation_portal.contract import canonical
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.lifecycle import State, is_agents_call
from formation_portal.contract.record import Holder, Party, ShareClass
from formation_portal.contract.rules import FieldLookup, Question, lookup_of
from formation_portal.core.encrypted_fields import update_rows
from formation_portal.core.overwriting import overwrite_deleted

from .models import (
    WITHDRAWAL,
    Delivery,
    DeliveryState,
    Payload,
    ResourceKind,
    ResourceName,
    parent_of,
    reference_to,
    referenced_name,
    referenced_names,
    shareholding_subject,
    submission_subject,
)
from .queries import LOCKED_DELIVERIES
from .service_profile import current_profile
from .wake import RELAY

# The longest note that the service takes (INTERFACE.md, "Entities"); the portal shows the full note.
STATUS_NOTE_LIMIT = 10_000
# Control characters become blanks.
_CONTROLS = {code: " " for code in (*range(32), 127) if chr(code) not in "\n\t"}
# Properties that the documented call requires; a class without par value sends 0 (INTERFACE.md, "Share classes").
_REQUIRED_OF_PARTY = {"person": ("first_name", "last_name", "email"), "corporate": ("name",), "foundation": ("name",)}
_REQUIRED_OF_CLASS = ("name", "currency", "par_value", "voting_rights", "dividend_rights")


def status_changes_of(application: Application) -> list[Change]:
    """Return the history's changes of status, oldest first; none before the first submission or after a withdrawal."""
    if not application.submissions or application.status is State.WITHDRAWN:
        return []
    return list(Change.objects.filter(application=application).exclude(moved_to="").order_by("pk"))


@dataclass(frozen=True, slots=True)
class DesiredResource:
    """A resource that the service should have. If `payload` is None, its delivery stays as it is for now."""

    kind: ResourceKind
    subject: str
    payload: Payload | None
    position: int = 0

    @property
    def name(self) -> ResourceName:
        return (self.kind, self.subject)


def desired_state(draft: Draft, status_changes: Sequence[Change] = ()) -> tuple[DesiredResource, ...]:
    """Return all resources that the service should have. `status_changes` come from the history, oldest first."""
    application = draft.application
    if application.deleted_at is not None:
        return ()
    if application.status is State.WITHDRAWN:
        return (DesiredResource(*WITHDRAWAL, {"status": State.WITHDRAWN.value}),)
    return (
        *_entity(draft),
        *_share_classes(draft),
        *_parties(draft),
        *_documents(draft),
        *_shareholdings(draft),
        *_transitions(draft, status_changes),
    )


def _entity(draft: Draft) -> Iterator[DesiredResource]:
    answers, csp_data = _answers(draft, None)
    payload = {
        "jurisdiction_product_id": draft.application.product_id,
        "client_reference": draft.application.reference,
        "answers": answers,
    }
    yield DesiredResource(ResourceKind.ENTITY, "", payload)
    yield DesiredResource(ResourceKind.ENTITY_CSP, "", csp_data)


def _answers(draft: Draft, holder: Holder) -> tuple[Payload, Payload]:
    """Return the holder's answers with a canonical name, and those to the provider's own questions as csp-data."""
    canonical_answers: Payload = {}
    own_answers: Payload = {}
    for spec, value in draft.form_state.active_answers(holder):
        payload = spec.payload(value)
        if spec.refers_to_share_class:
            payload = reference_to(ResourceKind.SHARE_CLASS, value)
        if spec.canonical_field:
            canonical_answers[spec.name] = payload
        else:
            own_answers[spec.name] = payload
    return canonical_answers, {"schema_id": draft.schema.id, "answers": own_answers}


def _share_classes(draft: Draft) -> Iterator[DesiredResource]:
    section = draft.schema.share_section
    if section is None or not draft.holds_shares:
        return
    for position, row in enumerate(draft.share_classes):
        answers, csp_data = _answers(draft, row.record)
        questions = [
            question for question in draft.form_state.questions(section, row.record) if question.activation.active
        ]
        payload: Payload | None = {"answers": answers}
        if _lacks(row.record, questions, _REQUIRED_OF_CLASS):
            payload = None
        yield DesiredResource(ResourceKind.SHARE_CLASS, row.token, payload, position)
        yield DesiredResource(ResourceKind.SHARE_CLASS_CSP, row.token, csp_data, position)


def _lacks(record: Party | ShareClass, questions: Iterable[Question], properties: Collection[str]) -> bool:
    return any(
        question.spec.name not in record.answers.values
        and canonical.property_of(question.spec.canonical_field or "") in properties
        for question in questions
    )


def _parties(draft: Draft) -> Iterator[DesiredResource]:
    for row in draft.parties:
        position = row.model.position
        roles = draft.form_state.active_roles(row.record)
        if not roles:
            continue
        answers, csp_data = _answers(draft, row.record)
        required = [question for question in draft.form_state.party_questions(row.record) if question.required]
        payload: Payload | None = {"party_type": row.kind, "roles": list(roles), "answers": answers}
        if _lacks(row.record, required, _REQUIRED_OF_PARTY.get(row.kind, ())):
            payload = None
        yield DesiredResource(ResourceKind.PARTY, row.token, payload, position)
        yield DesiredResource(ResourceKind.PARTY_CSP, row.token, csp_data, position)


def _documents(draft: Draft) -> Iterator[DesiredResource]:
    """Yield the documents of active slots. A document is only sent after the malware scanner has checked it."""
    for row in (None, *draft.parties):
        slots = {slot.name for slot in draft.slots_of(row)}
        for slot, document in draft.documents_of(row).items():
            if slot not in slots:
                continue
            payload: Payload | None = None
            if not document.is_checking:
                payload = {name: getattr(document, name) for name in ("name", "mime_type", "sha256")}
                payload["document_key"] = slot
                if row:
                    payload["party"] = reference_to(ResourceKind.PARTY, row.token)
            subject = document_subject(row.token if row else None, slot)
            yield DesiredResource(ResourceKind.DOCUMENT, subject, payload)


def _shareholdings(draft: Draft) -> Iterator[DesiredResource]:
    if not draft.holds_shares:
        return
    holders = {row.token for row in draft.parties if draft.is_shareholder(row)}
    for (party, share_class), holding in draft.holdings.items():
        if party in holders and holding.shares != 0:
            payload: Payload | None = None
            # An unreadable number of shares leaves the service's shareholding as it is.
            if holding.shares is not None:
                payload = {
                    "party": reference_to(ResourceKind.PARTY, party),
                    "share_class": reference_to(ResourceKind.SHARE_CLASS, share_class),
                    "shares_held": holding.shares,
                }
            yield DesiredResource(ResourceKind.SHAREHOLDING, shareholding_subject(party, share_class), payload)


def _transitions(draft: Draft, changes: Sequence[Change]) -> Iterator[DesiredResource]:
    """Yield each submission, followed by the agents' changes of status after it. Positions never change.

    A submission that came back before an agent took it is no longer sent. New transitions wait until the malware
    scanner has checked all documents, since the service would miss an unchecked one.
    """
    application = draft.application
    is_checking = bool(changes) and any(document.is_checking for document in draft.documents)
    # Count back from the last submission, since an old history may lack its first status changes.
    number = application.submissions - sum(change.moved_to == State.SUBMITTED_FOR_REVIEW for change in changes)
    by_agents: dict[int, list[Change]] = {}
    source: State | None = None
    for change in changes:
        target = State(change.moved_to)
        number += target is State.SUBMITTED_FOR_REVIEW
        # A change without an author was made by the service itself.
        if change.who_id is not None and is_agents_call(target, source):
            by_agents.setdefault(number, []).append(change)
        source = target
    position = 0
    for number in range(1, application.submissions + 1):
        position += 1
        payload: Payload | None = None
        if number in by_agents or (number == application.submissions and not application.is_open):
            if not is_checking:
                payload = {"submission": number}
            yield DesiredResource(ResourceKind.SUBMISSION, submission_subject(number), payload, position)
        for change in by_agents.get(number, ()):
            position += 1
            if not is_checking:
                note = str(change.named.get("note", "")).translate(_CONTROLS)[:STATUS_NOTE_LIMIT]
                payload = {"status": change.moved_to, "note": note}
            yield DesiredResource(ResourceKind.STATUS, str(change.pk), payload, position)


def without_unsendable(payload: Payload, sendable: Collection[ResourceName]) -> Payload:
    """Leave out answers that refer to resources that can't be sent yet: the other answers need not wait for them."""
    if "answers" not in payload:
        return payload
    answers = {}
    for name, value in payload["answers"].items():
        reference = referenced_name(value)
        if reference is None or reference in sendable:
            answers[name] = value
    return payload | {"answers": answers}


def without_cleaned_differences(payload: Payload, acknowledged: Payload | None, fields: FieldLookup) -> Payload:
    """Keep each acknowledged answer that differs from the new one only by cleaning, so that it is not sent again."""
    before = (acknowledged or {}).get("answers", {})
    unchanged = {}
    for name, value in payload.get("answers", {}).items():
        if name not in before or before[name] == value:
            continue
        for place in fields.asking_for(name):
            with suppress(AnswerError):
                cleaned = place.spec.clean(before[name])
                if cleaned is not None and place.spec.payload(cleaned) == value:
                    unchanged[name] = before[name]
    if not unchanged:
        return payload
    return payload | {"answers": payload["answers"] | unchanged}


_SYNCED_FIELDS = (
    "wanted",
    "needs",
    "position",
    "state",
    "reason",
    "problems",
    "next_at",
    "attempts",
    "repeats",
    "sent",
    "key",
)


def sync(draft: Draft) -> None:
    """Set each delivery's wanted payload: if it equals the acknowledged payload, the row is done, otherwise queued.

    A row on its way keeps its state, and is compared again once its outcome is known. Makes at most four database
    queries, and one more for a submitted application.
    """
    application = draft.application
    rows = {row.name: row for row in LOCKED_DELIVERIES.rows(application.pk)}
    changes = RowChanges()
    desired = {resource.name: resource for resource in desired_state(draft, status_changes_of(application))}
    # Resources that have a remote id, or will get one.
    sendable = set()
    for name, resource in desired.items():
        if resource.payload is not None or (name in rows and rows[name].remote_id):
            sendable.add(name)
    for name, resource in desired.items():
        is_empty = name not in rows and resource.kind.is_csp and not (resource.payload or {}).get("answers")
        if resource.payload is None or is_empty:
            continue
        if name not in rows:
            rows[name] = Delivery(application=application, kind=resource.kind, subject=resource.subject)
        row = rows[name]
        if row.position != resource.position:
            changes.expect(row)
            row.position = resource.position
        if row.wanted is None or not resource.kind.is_transition:
            payload = without_unsendable(resource.payload, sendable)
            if payload != row.wanted:
                payload = without_cleaned_differences(payload, row.acknowledged, lookup_of(draft.schema))
            _set_wanted(row, payload, changes)
    submissions = [rows[name] for name in desired if name in rows and name[0] is ResourceKind.SUBMISSION]
    if any(row.pk is None for row in submissions):
        # With a new submission, an earlier refused or held one is sent again, since its data was corrected. Agents had
        # already worked on that one, so it did not come back to the customer.
        for row in submissions:
            if row.state in (DeliveryState.REFUSED, DeliveryState.HELD) and row.is_settled:
                changes.expect(row)
                requeue(row)
    for name, row in rows.items():
        if name not in desired:
            _unset_wanted(row, application, desired, changes)
    may_send = current_profile().may_send(application)
    now = timezone.now()
    for row in rows.values():
        is_idle = row.state == DeliveryState.QUEUED and row.next_at is None
        if is_idle and (may_send or row.is_transition):
            changes.expect(row)
            row.next_at = now
    Delivery.objects.bulk_create([row for row in rows.values() if row.pk is None])
    changes.save()


class RowChanges:
    def __init__(self) -> None:
        self._before: dict[Delivery, dict[str, Any]] = {}

    def expect(self, row: Delivery) -> None:
        """Remember a row's values before the row is changed. A new row is ignored."""
        if row.pk is not None and row not in self._before:
            self._before[row] = {name: getattr(row, name) for name in _SYNCED_FIELDS}

    def save(self) -> None:
        rows: list[Delivery] = []
        fields: dict[str, None] = {}
        for row, before in self._before.items():
            differing = [name for name, value in before.items() if getattr(row, name) != value]
            if differing:
                rows.append(row)
                fields |= dict.fromkeys(differing)
        if len(rows) == 1:
            rows[0].save(update_fields=list(fields))
        else:
            update_rows(rows, list(fields))


def _set_wanted(row: Delivery, payload: Payload | None, changes: RowChanges) -> None:
    if row.pk is not None and row.wanted == payload:
        return
    changes.expect(row)
    row.wanted = payload
    needs = filter(None, (parent_of(*row.name), *referenced_names(payload)))
    row.needs = [list(name) for name in dict.fromkeys(needs)]
    if row.is_settled:
        requeue(row)


def is_frozen(application: Application) -> bool:
    """Tell whether the service's records stay as they are: the application was withdrawn, and is not deleted."""
    return application.status is State.WITHDRAWN and application.deleted_at is None


def acknowledge(row: Delivery) -> None:
    """Note that the service has the sent payload, and compare that with the payload wanted now."""
    row.acknowledged = row.sent
    row.state = DeliveryState.DONE
    row.unclear_since = None
    requeue(row)


def requeue(row: Delivery) -> None:
    """Compare the wanted payload with the acknowledged one, and queue the row again if they differ."""
    row.problems = []
    row.reason = ""
    row.attempts = 0
    row.repeats = 0
    row.sent = None
    row.key = ""
    if row.wanted == row.acknowledged or (row.wanted is None and not row.resource_kind.has_id):
        row.state = DeliveryState.DONE
        row.next_at = None
    elif row.state != DeliveryState.WAITING:
        row.state = DeliveryState.QUEUED
        row.next_at = None


def _unset_wanted(
    row: Delivery, application: Application, desired: Collection[ResourceName], changes: RowChanges
) -> None:
    """Have a resource removed at the service that was removed here, unless its parent's removal includes it.

    A transition is never taken back. A refused submission keeps its reason until the next one.
    """
    if is_frozen(application) or row.is_transition:
        if not (row.is_transition and application.is_open and row.state == DeliveryState.REFUSED):
            _set_wanted(row, row.acknowledged, changes)
        return
    _set_wanted(row, None, changes)
    parent = parent_of(*row.name)
    if row.is_settled and parent is not None and parent not in desired:
        changes.expect(row)
        row.state = DeliveryState.DONE
        row.next_at = None


def forget_dependents(row: Delivery) -> None:
    """Forget the resources that the service removed with this one, and queue again those that are still wanted."""
    gone = {row.name}
    others = Delivery.objects.filter(application_id=row.application_id).exclude(pk=row.pk)
    for other in sorted(others, key=lambda other: other.resource_kind.order):
        names_it = other.resource_kind is ResourceKind.SHAREHOLDING and any(list(name) in other.needs for name in gone)
        if (parent_of(*other.name) in gone or names_it) and (other.is_settled or other.state == DeliveryState.UNKNOWN):
            gone.add(other.name)
            other.acknowledged = None
            other.remote_id = ""
            if other.state == DeliveryState.UNKNOWN:
                other.state = DeliveryState.DONE
                other.unclear_since = None
            requeue(other)
            other.save()
    overwrite_deleted()


def sync_deliveries(draft: Draft) -> None:
    sync(draft)
    RELAY.wake_after_commit()
