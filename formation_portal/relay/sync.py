"""What should be at the service, and the deliveries that are brought up to it, in the transaction of the change.

The desired state is a function of a draft and its history: one resource per remote thing, in the order of sending.
Payloads hold answers by field name, with references to other resources; `calls.bodies` makes the wire's shapes of them.
Only active, readable answers are in them, so nothing inactive ever leaves. Nothing is sent here: the worker does that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change, document_subject
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import State, is_agents_call
from formation_portal.contract.record import Holder
from formation_portal.contract.rules import lookup_of
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
    referenced_names,
    shareholding_subject,
    submission_subject,
)
from .payload_answers import without_cleaned_differences, without_unsendable
from .queries import LOCKED_DELIVERIES
from .service_profile import current_profile
from .wake import RELAY

# The longest note that the service takes (supplement, "Entities"); the rest can be read here.
STATUS_NOTE_LIMIT = 10_000
_CONTROLS = {chr(code) for code in (*range(32), 127)} - {"\n", "\t"}
# What the documented call requires; a class without par value sends 0 (supplement, "Share classes, shareholdings").
_REQUIRED_OF_PARTY = {"person": ("first_name", "last_name", "email"), "corporate": ("name",), "foundation": ("name",)}
_REQUIRED_OF_CLASS = ("name", "currency", "par_value", "voting_rights", "dividend_rights")


def status_changes_of(application: Application) -> list[Change]:
    """The entries of its history that changed its status, oldest first: one query; none for what was never submitted,
    or withdrawn."""
    if not application.submissions or application.status is State.WITHDRAWN:
        return []
    return list(Change.objects.filter(application=application).exclude(moved_to="").order_by("pk"))


@dataclass(frozen=True, slots=True)
class DesiredResource:
    """One resource that should be there. Without a payload it stays as it is: what we have of it can't be sent yet."""

    kind: ResourceKind
    subject: str
    payload: Payload | None
    position: int = 0

    @property
    def name(self) -> ResourceName:
        """What it is named by within its application."""
        return (self.kind, self.subject)


def desired_state(draft: Draft, status_changes: Sequence[Change] = ()) -> tuple[DesiredResource, ...]:
    """Everything that should be at the service: nothing of a deleted draft, only the withdrawal of a withdrawn one.

    `status_changes` are the entries of its history that changed its status, oldest first.
    """
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


def _entity(draft: Draft) -> tuple[DesiredResource, DesiredResource]:
    application = draft.application
    answers, csp_data = _answers(draft, None)
    payload = {
        "jurisdiction_product_id": application.product_id,
        "client_reference": application.reference,
        "answers": answers,
    }
    return DesiredResource(ResourceKind.ENTITY, "", payload), DesiredResource(ResourceKind.ENTITY_CSP, "", csp_data)


def _answers(draft: Draft, holder: Holder) -> tuple[Payload, Payload]:
    """The holder's answers that have a canonical name; and the provider's own, as csp-data takes them."""
    canonical_answers: Payload = {}
    own_answers: Payload = {}
    for spec, value in draft.form_state.active_answers(holder):
        answers = canonical_answers if spec.canonical_field else own_answers
        refers = spec.refers_to_share_class
        answers[spec.name] = reference_to(ResourceKind.SHARE_CLASS, value) if refers else spec.payload(value)
    return canonical_answers, {"schema_id": draft.schema.id, "answers": own_answers}


def _share_classes(draft: Draft) -> Iterator[DesiredResource]:
    if not draft.holds_shares:
        return
    for position, row in enumerate(draft.share_classes):
        answers, csp_data = _answers(draft, row.record)
        payload = {"answers": answers} if _is_ready_class(draft, row) else None
        yield DesiredResource(ResourceKind.SHARE_CLASS, row.token, payload, position)
        yield DesiredResource(ResourceKind.SHARE_CLASS_CSP, row.token, csp_data, position)


def _is_ready_class(draft: Draft, row: ShareClassRow) -> bool:
    section = draft.schema.share_section
    assert section is not None
    return not any(
        question.activation.active
        and question.spec.name not in row.record.answers.values
        and canonical.property_of(question.spec.canonical_field or "") in _REQUIRED_OF_CLASS
        for question in draft.form_state.questions(section, row.record)
    )


def _parties(draft: Draft) -> Iterator[DesiredResource]:
    for row in draft.parties:
        position = row.model.position
        roles = draft.form_state.active_roles(row.record)
        if not roles:
            continue
        answers, csp_data = _answers(draft, row.record)
        payload = {"party_type": row.kind, "roles": list(roles), "answers": answers}
        yield DesiredResource(ResourceKind.PARTY, row.token, payload if _is_ready_party(draft, row) else None, position)
        yield DesiredResource(ResourceKind.PARTY_CSP, row.token, csp_data, position)


def _is_ready_party(draft: Draft, row: PartyRow) -> bool:
    """Its name and e-mail address are there, as far as they are asked and required."""
    return not any(
        question.required
        and question.spec.name not in row.record.answers.values
        and canonical.property_of(question.spec.canonical_field or "") in _REQUIRED_OF_PARTY.get(row.kind, ())
        for question in draft.form_state.party_questions(row.record)
    )


def _documents(draft: Draft) -> Iterator[DesiredResource]:
    """Those that are asked; what the malware scanner has not seen yet goes nowhere."""
    for row in (None, *draft.parties):
        asked = {slot.name for slot in draft.form_state.slots(row.record if row else None)}
        for slot, document in draft.documents_of(row).items():
            if slot in asked:
                party = row.token if row else None
                payload = {name: getattr(document, name) for name in ("name", "mime_type", "sha256")}
                payload |= {"document_key": slot} | (
                    {"party": reference_to(ResourceKind.PARTY, party)} if party else {}
                )
                wanted = None if document.is_checking else payload
                yield DesiredResource(ResourceKind.DOCUMENT, document_subject(party, slot), wanted)


def _shareholdings(draft: Draft) -> Iterator[DesiredResource]:
    if not draft.holds_shares:
        return
    holders = {row.token for row in draft.parties if draft.is_shareholder(row)}
    for (party, share_class), holding in draft.holdings.items():
        if party in holders and holding.shares != 0:
            payload = {
                "party": reference_to(ResourceKind.PARTY, party),
                "share_class": reference_to(ResourceKind.SHARE_CLASS, share_class),
                "shares_held": holding.shares,
            }
            # A number that cannot be read leaves what is there.
            is_readable = holding.shares is not None
            yield DesiredResource(
                ResourceKind.SHAREHOLDING, shareholding_subject(party, share_class), payload if is_readable else None
            )


def _transitions(draft: Draft, changes: Sequence[Change]) -> Iterator[DesiredResource]:
    """Each submission with the changes of status by agents after it. Positions never change: only new ones are added.
    A submission that came back before an agent had it, since the service refused something, is no longer sent. What is
    new waits while a document is checked for malware, which the service would find missing.
    """
    application, is_checking = draft.application, bool(changes) and any(one.is_checking for one in draft.documents)
    is_submission = [change.moved_to == State.SUBMITTED_FOR_REVIEW for change in changes]
    # Counted from the last one: a history may be older than the record of its status changes.
    number = application.submissions - sum(is_submission)
    by_agents: dict[int, list[Change]] = {}
    source: State | None = None
    for change, is_next in zip(changes, is_submission, strict=True):
        number += is_next
        # A change that nobody made was asked for by the service itself.
        if change.who_id is not None and is_agents_call(State(change.moved_to), source):
            by_agents.setdefault(number, []).append(change)
        source = State(change.moved_to)
    position = 0
    for number in range(1, application.submissions + 1):
        position += 1
        if number in by_agents or (number == application.submissions and not application.is_open):
            submission = None if is_checking else {"submission": number}
            yield DesiredResource(ResourceKind.SUBMISSION, submission_subject(number), submission, position)
        for change in by_agents.get(number, ()):
            position += 1
            # Without control characters, as long as the service takes it.
            note = "".join(" " if letter in _CONTROLS else letter for letter in str(change.named.get("note", "")))
            status = None if is_checking else {"status": change.moved_to, "note": note[:STATUS_NOTE_LIMIT]}
            yield DesiredResource(ResourceKind.STATUS, str(change.pk), status, position)


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
    """Set the payload that each row wants: a row equal to what was acknowledged is done, any other is queued.

    A row on its way keeps its state, and is compared again once its outcome is known. Makes at most four queries,
    however large the application, and one more for an application that was submitted.
    """
    application, now = draft.application, timezone.now()
    rows = {_name_of(row): row for row in LOCKED_DELIVERIES.rows(application.pk)}
    changes = RowChanges()
    desired = {resource.name: resource for resource in desired_state(draft, status_changes_of(application))}
    # What has a remote id, or will get one.
    sendable = frozenset(
        name
        for name, resource in desired.items()
        if resource.payload is not None or (name in rows and rows[name].remote_id)
    )
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
        # With a new submission, an earlier one that was refused or held is sent again, as what it lacked was corrected:
        # one on which agents had already worked, so that it did not come back to the customer.
        for row in submissions:
            if row.state in (DeliveryState.REFUSED, DeliveryState.HELD) and row.is_settled:
                changes.expect(row)
                requeue(row)
    frozen = is_frozen(application)
    for name, row in rows.items():
        if name not in desired:
            _unset_wanted(row, desired, changes, is_frozen=frozen, is_open=application.is_open)
    may_send = current_profile().may_send(application)
    for row in rows.values():
        is_idle = row.state == DeliveryState.QUEUED and row.next_at is None
        if is_idle and (may_send or row.is_transition):
            changes.expect(row)
            row.next_at = now
    Delivery.objects.bulk_create([row for row in rows.values() if row.pk is None])
    changes.save()


class RowChanges:
    """Save the stored rows that a sync has changed, and of these only the fields that differ."""

    def __init__(self) -> None:
        self._before: dict[int, tuple[Delivery, dict[str, Any]]] = {}

    def expect(self, row: Delivery) -> None:
        """Remember a row's values. Call it before the row is changed; a new row is left out."""
        if row.pk is not None and row.pk not in self._before:
            self._before[row.pk] = row, _values(row)

    def save(self) -> None:
        rows: list[Delivery] = []
        fields: dict[str, None] = {}
        for row, before in self._before.values():
            values = _values(row)
            differing = [name for name in values if values[name] != before[name]]
            if differing:
                rows.append(row)
                fields |= dict.fromkeys(differing)
        if len(rows) == 1:
            rows[0].save(update_fields=list(fields))
        else:
            update_rows(rows, list(fields))


def _name_of(row: Delivery) -> ResourceName:
    """What it is the row of. Rows from before every submission had its own are those of the last submission."""
    if row.resource_kind is not ResourceKind.SUBMISSION:
        return row.name
    payload = row.wanted or row.sent or row.acknowledged or {}
    return (ResourceKind.SUBMISSION, submission_subject(payload["submission"])) if "submission" in payload else row.name


def _values(row: Delivery) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _SYNCED_FIELDS}


def _set_wanted(row: Delivery, payload: Payload | None, changes: RowChanges) -> None:
    if row.pk is not None and row.wanted == payload:
        return
    changes.expect(row)
    row.wanted = payload
    parent = parent_of(*row.name)
    row.needs = [list(name) for name in dict.fromkeys(([parent] if parent else []) + list(referenced_names(payload)))]
    if row.is_settled:
        requeue(row)


def is_frozen(application: Application) -> bool:
    """Whether what the service has stays there as it is: the application was withdrawn, and is not deleted."""
    return application.status is State.WITHDRAWN and application.deleted_at is None


def requeue(row: Delivery) -> None:
    """Compare what a row wants with what was acknowledged, and queue it anew where they differ."""
    row.problems, row.reason, row.attempts, row.repeats = [], "", 0, 0
    row.sent, row.key = None, ""
    kind = row.resource_kind
    if row.wanted == row.acknowledged or (row.wanted is None and (kind.is_csp or kind.is_transition)):
        row.state, row.next_at = DeliveryState.DONE, None
    elif row.state != DeliveryState.WAITING:
        row.state, row.next_at = DeliveryState.QUEUED, None


def _unset_wanted(
    row: Delivery,
    desired: Mapping[ResourceName, DesiredResource],
    changes: RowChanges,
    *,
    is_frozen: bool,
    is_open: bool,
) -> None:
    """What is gone here is removed there, unless it goes with what it belongs to.

    A transition is never taken back, and a withdrawn application stays there as it is. Why the service refused a
    submission can be read until the next one.
    """
    is_transition = row.is_transition
    if is_frozen or is_transition:
        if not (is_transition and is_open and row.state == DeliveryState.REFUSED):
            _set_wanted(row, row.acknowledged, changes)
        return
    _set_wanted(row, None, changes)
    parent = parent_of(*row.name)
    if row.is_settled and parent is not None and parent not in desired:
        changes.expect(row)
        row.state, row.next_at = DeliveryState.DONE, None


def forget_dependents(row: Delivery) -> None:
    """A resource is gone at the service: what belonged to it, and shareholdings that name it, are gone with it.

    They are queued anew where they are still wanted, also those that were in doubt.
    """
    gone = {row.name}
    others = Delivery.objects.filter(application_id=row.application_id).exclude(pk=row.pk)
    for other in sorted(others, key=lambda one: one.resource_kind.order):
        names_it = other.resource_kind is ResourceKind.SHAREHOLDING and any(list(name) in other.needs for name in gone)
        if (parent_of(*other.name) in gone or names_it) and (other.is_settled or other.state == DeliveryState.UNKNOWN):
            gone.add(other.name)
            other.acknowledged, other.remote_id = None, ""
            if other.state == DeliveryState.UNKNOWN:
                other.state, other.unclear_since = DeliveryState.DONE, None
            requeue(other)
            other.save()
    overwrite_deleted()


def sync_deliveries(draft: Draft) -> None:
    """Sync the deliveries, and wake the worker once they are committed."""
    sync(draft)
    RELAY.wake_after_commit()
