"""What should be at the service, as a function of a draft and its history: one resource per remote thing, in the order
of sending.

Payloads hold answers by field name, with references to other resources; `calls.bodies` makes the wire's shapes of them.
Only active, readable answers are in them, so nothing inactive ever leaves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change, document_subject
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import AGENT, TRANSITIONS, State
from formation_portal.contract.record import Holder

from .models import WITHDRAWAL, ResourceKind, ResourceName, reference_to, shareholding_subject, submission_subject

Payload = dict[str, Any]

# The longest note that the service takes (supplement, "Entities"); the rest can be read here.
STATUS_NOTE_LIMIT = 10_000
_STATES_SET_BY_AGENTS = frozenset(deed.target for deed in TRANSITIONS.values() if deed.by == AGENT)
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
        _entity(draft),
        DesiredResource(ResourceKind.ENTITY_CSP, "", _csp_data(draft, None)),
        *_share_classes(draft),
        *_parties(draft),
        *_documents(draft),
        *_shareholdings(draft),
        *_transitions(application, status_changes),
    )


def _entity(draft: Draft) -> DesiredResource:
    application = draft.application
    return DesiredResource(
        ResourceKind.ENTITY,
        "",
        {
            "jurisdiction_product_id": application.product_id,
            "client_reference": application.reference,
            "answers": _answers(draft, None, is_canonical=True),
        },
    )


def _answers(draft: Draft, holder: Holder, *, is_canonical: bool) -> Payload:
    return {
        spec.name: reference_to(ResourceKind.SHARE_CLASS, value) if spec.refers_to_share_class else spec.payload(value)
        for spec, value in draft.form_state.active_answers(holder)
        if bool(spec.canonical_field) is is_canonical
    }


def _csp_data(draft: Draft, holder: Holder) -> Payload:
    return {"schema_id": draft.schema.id, "answers": _answers(draft, holder, is_canonical=False)}


def _share_classes(draft: Draft) -> Iterator[DesiredResource]:
    if not draft.holds_shares:
        return
    for position, row in enumerate(draft.share_classes):
        payload = {"answers": _answers(draft, row.record, is_canonical=True)} if _is_ready_class(draft, row) else None
        yield DesiredResource(ResourceKind.SHARE_CLASS, row.token, payload, position)
        yield DesiredResource(ResourceKind.SHARE_CLASS_CSP, row.token, _csp_data(draft, row.record), position)


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
    for position, row in enumerate(draft.parties):
        roles = draft.form_state.active_roles(row.record)
        if not roles:
            continue
        payload = {
            "party_type": row.kind,
            "roles": list(roles),
            "answers": _answers(draft, row.record, is_canonical=True),
        }
        yield DesiredResource(ResourceKind.PARTY, row.token, payload if _is_ready_party(draft, row) else None, position)
        yield DesiredResource(ResourceKind.PARTY_CSP, row.token, _csp_data(draft, row.record), position)


def _is_ready_party(draft: Draft, row: PartyRow) -> bool:
    """Its name and e-mail address are there, as far as they are asked and required."""
    return not any(
        question.required
        and question.spec.name not in row.record.answers.values
        and canonical.property_of(question.spec.canonical_field or "") in _REQUIRED_OF_PARTY.get(row.kind, ())
        for question in draft.form_state.party_questions(row.record)
    )


def _documents(draft: Draft) -> Iterator[DesiredResource]:
    holders: list[PartyRow | None] = [None, *draft.parties]
    for row in holders:
        asked = {slot.name for slot in draft.form_state.slots(row.record if row else None)}
        for slot, document in draft.documents_of(row).items():
            if slot in asked:
                yield DesiredResource(
                    ResourceKind.DOCUMENT,
                    document_subject(row.token if row else None, slot),
                    {
                        "document_key": slot,
                        "name": document.name,
                        "mime_type": document.mime_type,
                        "sha256": document.sha256,
                        **({"party": reference_to(ResourceKind.PARTY, row.token)} if row else {}),
                    },
                )


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


def _transitions(application: Application, status_changes: Sequence[Change]) -> Iterator[DesiredResource]:
    """Each submission with the changes of status by agents after it. Positions never change: only new ones are added.

    A submission that came back before an agent had it, since the service refused something, is no longer sent.
    """
    is_submission = [change.moved_to == State.SUBMITTED_FOR_REVIEW for change in status_changes]
    # Counted from the last one: a history may be older than the record of its status changes.
    number = application.submissions - sum(is_submission)
    by_agents: dict[int, list[Change]] = {}
    for change, is_next in zip(status_changes, is_submission, strict=True):
        number += is_next
        # A change that nobody made was asked for by the service itself.
        if change.who_id is not None and State(change.moved_to) in _STATES_SET_BY_AGENTS:
            by_agents.setdefault(number, []).append(change)
    position = 0
    for number in range(1, application.submissions + 1):
        position += 1
        if number in by_agents or (number == application.submissions and not application.is_open):
            yield DesiredResource(ResourceKind.SUBMISSION, submission_subject(number), {"submission": number}, position)
        for change in by_agents.get(number, ()):
            position += 1
            # Without control characters, as long as the service takes it.
            note = "".join(" " if letter in _CONTROLS else letter for letter in str(change.named.get("note", "")))
            payload = {"status": change.moved_to, "note": note[:STATUS_NOTE_LIMIT]}
            yield DesiredResource(ResourceKind.STATUS, str(change.pk), payload, position)
