"""What the service refuses, by our own names: which answer of whom, and what to do.

It stops a submission and an approval, since the service would refuse the whole again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.values import Problem
from formation_portal.contract.localisation import stored_words
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.gateway.errors import FieldProblem
from formation_portal.reviews.checklist import ApprovalBlocker
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind

from .calls import bodies
from .models import Delivery, DeliveryState, Payload, ResourceKind, ResourceName


@dataclass(frozen=True, slots=True)
class LocatedProblem(Problem):
    """A refused answer with its place: the tokens of party or class, the section's key, the document's slot."""

    section: str = ""
    party: str = ""
    share_class: str = ""
    slot: str = ""


def problems_of(row: Delivery) -> tuple[LocatedProblem, ...]:
    """What the service refuses in a row; of a document also why it was returned."""
    if row.problems or not row.is_returned:
        return tuple(LocatedProblem(**problem) for problem in row.problems)
    return (
        LocatedProblem(
            field="",
            code="document_returned",
            message=row.document_note or gettext("Upload this document again. It was returned without a reason."),
            party=row.subject.partition("/")[0],
            slot=str((row.acknowledged or {}).get("document_key", "")),
        ),
    )


def locate(
    objections: Iterable[FieldProblem], row: Delivery, ids: Mapping[ResourceName, str], draft: Draft
) -> list[Any]:
    """The service's objections in our names, as a row keeps them."""
    tokens = {remote_id: name for name, remote_id in ids.items()}
    return [asdict(_locate_one(objection, row, tokens, draft)) for objection in objections]


def _locate_one(
    objection: FieldProblem, row: Delivery, tokens: Mapping[str, ResourceName], draft: Draft
) -> LocatedProblem:
    kind, subject = row.name
    own = subject.partition("/")[0]
    named = (tokens.get(objection.party_id), tokens.get(objection.share_class_id))
    is_of_party = kind in (ResourceKind.PARTY, ResourceKind.PARTY_CSP, ResourceKind.DOCUMENT, ResourceKind.SHAREHOLDING)
    party = own if is_of_party else named[0][1] if named[0] else ""
    is_of_class = kind in (ResourceKind.SHARE_CLASS, ResourceKind.SHARE_CLASS_CSP)
    share_class = own if is_of_class else named[1][1] if named[1] else ""
    if kind is ResourceKind.SHAREHOLDING:
        share_class = subject.partition("/")[2]
    fields = draft.schema.share_class_fields if share_class else draft.schema.entity_fields
    if party and (holder := draft.party(party)):
        fields = draft.schema.fields_of(holder.kind, holder.roles)
    field = _field(objection.field, row, fields)
    return LocatedProblem(
        field=field,
        code=objection.code,
        message=objection.message or gettext("Change this answer. The formation service did not accept it."),
        section=_section_key(draft, objection, field, row.sent, party=party, share_class=share_class),
        party=party,
        share_class=share_class,
        slot=objection.slot or str((row.sent or {}).get("document_key", "")),
    )


def _field(said: str, row: Delivery, fields: Iterable[FieldSpec]) -> str:
    """Our name for the field: as the service says it, or by the property that it is sent as, at the end of a path too;
    else the service's."""
    kind = row.resource_kind
    answers = {"answers": {spec.name: None for spec in fields}}
    # A submission speaks about any thing's answers; properties of parties and classes have the same names.
    kinds = (ResourceKind.ENTITY, ResourceKind.PARTY) if kind.is_transition else (kind,)
    steps = said.split(".")
    ends = [".".join(steps[place:]) for place in range(len(steps))]
    return next((name for end in ends for one in kinds if (name := bodies.field_named(one, answers, end))), said)


def _section_key(
    draft: Draft, objection: FieldProblem, field: str, sent: Payload | None, *, party: str, share_class: str
) -> str:
    schema = draft.schema
    if objection.section:
        meant = (
            one.key for one in schema.sections if objection.section in (one.key, stored_words(one.title), one.scope)
        )
        if key := next(meant, ""):
            return key
    row = draft.party(party) if party else None
    if row:
        sections: tuple[Section, ...] = schema.sections_of(row.roles)
        group = row.kind
    elif share_class:
        sections, group = (schema.share_section,) if schema.share_section else (), "share_class"
    else:
        sections, group = schema.entity_sections, "entity"
    # A problem without a field of ours is placed in the first section with something that was sent.
    for names in ({field}, set((sent or {}).get("answers", {}))):
        for one in sections:
            if any(spec.name in names for spec in one.groups.get(group, ())):
                return one.key
    return sections[0].key if sections else ""


def block_submission(draft: Draft) -> tuple[Need, ...]:
    """What the service has refused needs a change before submitting; a refused submission may be tried again."""
    return tuple(
        Need(
            "refused",
            problem.message,
            problem.section,
            party_id=problem.party or None,
            share_class_id=problem.share_class or None,
            field=problem.field or None,
            slot=problem.slot or None,
        )
        for row in Delivery.objects.filter(application=draft.application)
        if (row.state == DeliveryState.REFUSED and not row.is_transition) or row.is_returned
        for problem in problems_of(row)
    )


def block_approval(draft: Draft) -> tuple[ApprovalBlocker, ...]:
    """An objection for each refused delivery but an agent's own change of status: one query where the rows were not
    read yet."""
    blockers = []
    for row in draft.application.deliveries.all():
        kind = row.resource_kind
        is_by_agent = kind.is_transition and kind is not ResourceKind.SUBMISSION
        if not (row.is_returned or (row.state == DeliveryState.REFUSED and not is_by_agent)):
            continue
        for problem in problems_of(row) or (LocatedProblem("", "refused", gettext("No reason given")),):
            party = draft.party(problem.party) if problem.party else None
            message = f"Not accepted by the formation service: {problem.message}"
            blockers.append(ApprovalBlocker(_place(problem), party.label if party else "", message))
    return tuple(blockers)


def _place(problem: LocatedProblem) -> Target:
    """What the problem is about, as far as the service has said."""
    holder = problem.party or problem.share_class
    if problem.slot:
        return Target.of_document(problem.party, problem.slot)
    if problem.field and (holder or problem.section):
        return Target.of_field(holder or problem.section, problem.field)
    if problem.party:
        return Target(TargetKind.PARTY, problem.party)
    return Target(TargetKind.SECTION, problem.section) if problem.section else WHOLE_APPLICATION
