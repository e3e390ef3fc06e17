"""What the service refuses, by our own names: which answer of whom, and what to do.

It stops a submission and an approval, since the service would refuse the whole again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.values import Problem
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.gateway.errors import FieldProblem
from formation_portal.reviews.checklist import ApprovalBlocker
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind

from .calls import bodies
from .calls.outcomes import FILE, NOT_FOR_CUSTOMERS
from .models import Delivery, DeliveryState, Payload, ResourceKind, ResourceName


@dataclass(frozen=True, slots=True)
class LocatedProblem(Problem):
    """A refused answer with its place: the tokens of party or class, the section's key, the document's slot."""

    section: str = ""
    party: str = ""
    share_class: str = ""
    slot: str = ""
    # The customer can change what it names. Agents alone read the others.
    is_answerable: bool = True


# The steps of a service's path that are looked at, from its end.
_MAX_STEPS = 8
# The members of a record that are no questions of the form, and that the customer changes all the same.
_ANSWERABLE_MEMBERS = {
    ResourceKind.PARTY: frozenset({"roles", "party_type"}),
    ResourceKind.SHAREHOLDING: frozenset({"shares_held"}),
    ResourceKind.DOCUMENT: frozenset({FILE, "name", "mime_type", "size"}),
}


def problems_of(row: Delivery) -> tuple[LocatedProblem, ...]:
    """Return what the customer has to change in a row, with the reason why the service returned a document."""
    if row.state == DeliveryState.REFUSED:
        problems = (LocatedProblem(**problem) for problem in row.problems)
        return tuple(problem for problem in problems if problem.is_answerable)
    if not row.is_returned or row.problems:
        return ()
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
    if not field and kind.is_transition and not (party or share_class):
        field = _field(objection.field, row, _every_field(draft))
    problem = LocatedProblem(
        field=field or objection.field,
        code=objection.code,
        message=objection.message or gettext("Change this answer. The formation service did not accept it."),
        section=_section_key(draft, objection, field, row.sent, party=party, share_class=share_class),
        party=party,
        share_class=share_class,
        slot=objection.slot or str((row.sent or {}).get("document_key", "")),
    )
    return replace(problem, is_answerable=_is_answerable(problem, objection, row, draft))


def _field(path: str, row: Delivery, fields: Iterable[FieldSpec]) -> str:
    """Return our name for the field that a path of the service names, or names a part of; "" if it names none.

    The longest part of the path that is a field's name or property wins: `parties.0.registered_address.country` is the
    registered address.
    """
    answers = {"answers": {spec.name: None for spec in fields}}
    # A submission speaks about any thing's answers; properties of parties and classes have the same names.
    kinds = (ResourceKind.ENTITY, ResourceKind.PARTY) if row.is_transition else (row.resource_kind,)
    steps = path.split(".")[-_MAX_STEPS:]
    for length in range(len(steps), 0, -1):
        for start in range(len(steps) - length + 1):
            part = ".".join(steps[start : start + length])
            for kind in kinds:
                if name := bodies.field_named(kind, answers, part):
                    return name
    return ""


def _every_field(draft: Draft) -> list[FieldSpec]:
    return [spec for section in draft.schema.sections for specs in section.groups.values() for spec in specs]


def _is_answerable(problem: LocatedProblem, objection: FieldProblem, row: Delivery, draft: Draft) -> bool:
    """Return whether an objection names a question, document, section, person or share class that the customer sees."""
    if objection.code in NOT_FOR_CUSTOMERS:
        return False
    if objection.field.partition(".")[0] in _ANSWERABLE_MEMBERS.get(row.resource_kind, ()):
        return True
    if problem.field in _answerable_names(problem, row, draft) or _named_section(draft, objection):
        return True
    if objection.slot in draft.schema.slot_words:
        return True
    # Every refusal of a person's own record may repeat its ID, which says nothing about the cause.
    return row.is_transition and bool(problem.party or problem.share_class)


def _answerable_names(problem: LocatedProblem, row: Delivery, draft: Draft) -> set[str]:
    """Return the names of the questions that the form asks now about the holder of a refused answer."""
    schema, form_state = draft.schema, draft.form_state
    if problem.party:
        party = draft.party(problem.party)
        questions = form_state.party_questions(party.record) if party else ()
    elif problem.share_class:
        share_class = draft.share_class(problem.share_class)
        questions = form_state.holder_questions(share_class.record) if share_class else ()
    else:
        questions = form_state.holder_questions(None)
    names = {
        question.spec.name
        for question in questions
        if question.activation.active
        and not question.spec.provided_by_agent
        and schema.why_unanswerable(question.spec) is None
    }
    if row.is_transition and not (problem.party or problem.share_class):
        for section in schema.sections:
            if not section.is_entity and form_state.section_activation(section).active:
                names.update(spec.name for specs in section.groups.values() for spec in specs)
    return names


def _named_section(draft: Draft, objection: FieldProblem) -> str:
    """Return the key of the section that an objection names by its key, title or scope."""
    if objection.section:
        for section in draft.schema.sections:
            if objection.section in (section.key, section.original.title, section.scope):
                return section.key
    return ""


def _section_key(
    draft: Draft, objection: FieldProblem, field: str, sent: Payload | None, *, party: str, share_class: str
) -> str:
    schema = draft.schema
    if key := _named_section(draft, objection):
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
    for section in schema.sections:
        if any(spec.name == field for specs in section.groups.values() for spec in specs):
            return section.key
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
