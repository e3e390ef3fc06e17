"""What should stand at the service, as a pure function of a draft: one wish per remote thing, in the order of sending.

Payloads hold answers by field name, with references to other things; `bodies` makes the wire's shapes of them.
Only active, readable answers are in them (`contract.wire.answered`), so nothing inactive ever leaves.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from formation_portal.applications.drafts import Draft
from formation_portal.applications.models import Application, document_subject
from formation_portal.applications.rows import PartyRow, ShareClassRow
from formation_portal.contract import canonical, wire
from formation_portal.contract.lifecycle import State
from formation_portal.contract.record import Holder

from .kinds import WITHDRAWAL, Kind, Name, holding_subject, submission_subject
from .moves import Move
from .references import ref

Payload = dict[str, Any]

# What the documented call needs; a class without par value sends 0 (supplement, "Share classes, shareholdings").
_NEEDED_OF_PARTY = {"person": ("first_name", "last_name", "email"), "corporate": ("name",), "foundation": ("name",)}
_NEEDED_OF_CLASS = ("name", "currency", "par_value", "voting_rights", "dividend_rights")


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing that should be there. Without a payload it should stay as it is: it cannot be sent as it stands."""

    kind: Kind
    subject: str
    payload: Payload | None
    position: int = 0

    @property
    def name(self) -> Name:
        """What it is named by within its application."""
        return (self.kind, self.subject)


def wishes(draft: Draft, moves: Collection[Move] = ()) -> tuple[Wish, ...]:
    """Everything that should be at the service: nothing of a deleted draft, only the deed of a withdrawn one.

    `moves` are what agents have done with it, oldest first.
    """
    application = draft.application
    if application.deleted_at is not None:
        return ()
    if application.stands is State.WITHDRAWN:
        return (Wish(*WITHDRAWAL, {"status": State.WITHDRAWN.value}),)
    return (
        _entity(draft),
        Wish(Kind.ENTITY_CSP, "", _csp(draft, None)),
        *_share_classes(draft),
        *_parties(draft),
        *_documents(draft),
        *_holdings(draft),
        *_deeds(application, moves),
    )


def _entity(draft: Draft) -> Wish:
    application = draft.application
    return Wish(
        Kind.ENTITY,
        "",
        {
            "jurisdiction_product_id": application.product_id,
            "client_reference": application.reference,
            "answers": _answers(draft, None, canonical_ones=True),
        },
    )


def _answers(draft: Draft, holder: Holder, *, canonical_ones: bool) -> Payload:
    return {
        spec.name: ref(Kind.SHARE_CLASS, value) if spec.refers_to_share_class else spec.payload(value)
        for spec, value in wire.answered(draft.standing, holder)
        if bool(spec.canonical_field) is canonical_ones
    }


def _csp(draft: Draft, holder: Holder) -> Payload:
    return {"schema_id": draft.schema.id, "answers": _answers(draft, holder, canonical_ones=False)}


def _share_classes(draft: Draft) -> Iterator[Wish]:
    if not draft.holds_shares:
        return
    for position, row in enumerate(draft.share_classes):
        payload = {"answers": _answers(draft, row.record, canonical_ones=True)} if _is_ready_class(draft, row) else None
        yield Wish(Kind.SHARE_CLASS, row.token, payload, position)
        yield Wish(Kind.SHARE_CLASS_CSP, row.token, _csp(draft, row.record), position)


def _is_ready_class(draft: Draft, row: ShareClassRow) -> bool:
    section = draft.schema.share_section
    assert section is not None
    return not any(
        question.verdict.active
        and question.spec.name not in row.record.answers.values
        and canonical.property_of(question.spec.canonical_field or "") in _NEEDED_OF_CLASS
        for question in draft.standing.questions(section, row.record)
    )


def _parties(draft: Draft) -> Iterator[Wish]:
    for position, row in enumerate(draft.parties):
        roles = draft.standing.active_roles(row.record)
        if not roles:
            continue
        payload = {
            "party_type": row.kind,
            "roles": list(roles),
            "answers": _answers(draft, row.record, canonical_ones=True),
        }
        yield Wish(Kind.PARTY, row.token, payload if _is_ready_party(draft, row) else None, position)
        yield Wish(Kind.PARTY_CSP, row.token, _csp(draft, row.record), position)


def _is_ready_party(draft: Draft, row: PartyRow) -> bool:
    """Its name and e-mail address are there, as far as they are asked and required."""
    return not any(
        question.required
        and question.spec.name not in row.record.answers.values
        and canonical.property_of(question.spec.canonical_field or "") in _NEEDED_OF_PARTY.get(row.kind, ())
        for question in draft.standing.party_questions(row.record)
    )


def _documents(draft: Draft) -> Iterator[Wish]:
    holders: list[PartyRow | None] = [None, *draft.parties]
    for row in holders:
        asked = {slot.name for slot in draft.standing.slots(row.record if row else None)}
        for slot, document in draft.documents_of(row).items():
            if slot in asked:
                yield Wish(
                    Kind.DOCUMENT,
                    document_subject(row.token if row else None, slot),
                    {
                        "document_key": slot,
                        "name": document.name,
                        "mime_type": document.mime_type,
                        "sha256": document.sha256,
                        **({"party": ref(Kind.PARTY, row.token)} if row else {}),
                    },
                )


def _holdings(draft: Draft) -> Iterator[Wish]:
    if not draft.holds_shares:
        return
    holders = {row.token for row in draft.parties if draft.is_shareholder(row)}
    for (party, share_class), holding in draft.holdings.items():
        if party in holders and holding.shares != 0:
            payload = {
                "party": ref(Kind.PARTY, party),
                "share_class": ref(Kind.SHARE_CLASS, share_class),
                "shares_held": holding.shares,
            }
            # A number that cannot be read leaves what is there.
            is_readable = holding.shares is not None
            yield Wish(Kind.SHAREHOLDING, holding_subject(party, share_class), payload if is_readable else None)


def _deeds(application: Application, moves: Collection[Move]) -> Iterator[Wish]:
    """Round by round, the submission and what agents did after it. Positions never change: rounds only grow.

    A submission that was given back before an agent had it, since the service refused something, is told no more.
    """
    position = 0
    for number in range(1, application.submissions + 1):
        told = [move for move in moves if move.round == number]
        position += 1
        if told or (number == application.submissions and not application.is_open):
            yield Wish(Kind.SUBMISSION, submission_subject(number), {"submission": number}, position)
        for move in told:
            position += 1
            yield Wish(Kind.STATUS, str(move.number), {"status": move.status.value, "note": move.note}, position)
