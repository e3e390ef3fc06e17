"""Find the fields and documents that the service's refusals are about. Refusals stop a submission and an approval."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.values import Problem
from formation_portal.contract.needs import Need
from formation_portal.contract.rules import Question
from formation_portal.contract.schema import ENTITY, SHARE_CLASS, Section
from formation_portal.gateway.errors import FieldProblem
from formation_portal.reviews.checklist import ApprovalBlocker
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind

from .calls import bodies
from .calls.outcomes import FILE, NOT_FOR_CUSTOMERS
from .models import Delivery, DeliveryState, ResourceKind, ResourceName


@dataclass(frozen=True, slots=True)
class LocatedProblem(Problem):
    """An objection of the service and its place: a party's or class's token, a section's key, a document's slot."""

    section: str = ""
    party: str = ""
    share_class: str = ""
    slot: str = ""
    # Whether the customer can change what the problem names. Only agents read the other problems.
    is_answerable: bool = True

    @property
    def need(self) -> Need:
        return Need(
            "refused",
            self.message,
            self.section,
            party_id=self.party or None,
            share_class_id=self.share_class or None,
            field=self.field or None,
            slot=self.slot or None,
        )


# How many steps of a path from the service are compared with our names, counted from its end.
_MAX_STEPS = 8
# Members of a record that the customer can change, although the form has no question for them.
_ANSWERABLE_MEMBERS = {
    ResourceKind.PARTY: frozenset({"roles", "party_type"}),
    ResourceKind.SHAREHOLDING: frozenset({"shares_held"}),
    ResourceKind.DOCUMENT: frozenset({FILE, "name", "mime_type", "size"}),
}


def problems_of(row: Delivery) -> tuple[LocatedProblem, ...]:
    """Return the problems that the customer has to solve in a row, or the reason why a document was returned."""
    if row.state == DeliveryState.REFUSED:
        return tuple(LocatedProblem(**problem) for problem in row.problems if problem.get("is_answerable", True))
    if not row.is_returned or row.problems:
        return ()
    returned = LocatedProblem(
        field="",
        code="document_returned",
        message=row.document_note or gettext("Upload this document again. It was returned without a reason."),
        party=row.subject.partition("/")[0],
        slot=str((row.acknowledged or {}).get("document_key", "")),
    )
    return (returned,)


def locate(
    objections: Iterable[FieldProblem], row: Delivery, ids: Mapping[ResourceName, str], draft: Draft
) -> list[Any]:
    locator = _Locator(row, ids, draft)
    return [asdict(locator.locate(objection)) for objection in objections]


class _Locator:
    """Finder of the fields, sections, parties and slots that the service's objections to a row are about."""

    def __init__(self, row: Delivery, ids: Mapping[ResourceName, str], draft: Draft) -> None:
        self._row = row
        self._draft = draft
        self._tokens = {remote_id: token for (_, token), remote_id in ids.items()}

    def locate(self, objection: FieldProblem) -> LocatedProblem:
        party, share_class = self._holder(objection)
        sections, group = self._sections_of(party, share_class)
        field = self._field(objection.field, [spec for section in sections for spec in section.groups.get(group, ())])
        if not field and self._row.is_transition and not (party or share_class):
            field = self._field(objection.field, _every_field(self._draft.schema.sections))
        problem = LocatedProblem(
            field=field or objection.field,
            code=objection.code,
            message=objection.message or gettext("Change this answer. The formation service did not accept it."),
            section=self._named_section(objection) or self._section_of(field, sections, group),
            party=party,
            share_class=share_class,
            slot=objection.slot or str((self._row.sent or {}).get("document_key", "")),
        )
        return replace(problem, is_answerable=self._is_answerable(problem, objection))

    def _holder(self, objection: FieldProblem) -> tuple[str, str]:
        kind, subject = self._row.name
        first, _, second = subject.partition("/")
        party = self._tokens.get(objection.party_id, "")
        share_class = self._tokens.get(objection.share_class_id, "")
        if kind in (ResourceKind.PARTY, ResourceKind.PARTY_CSP, ResourceKind.DOCUMENT):
            party = first
        elif kind in (ResourceKind.SHARE_CLASS, ResourceKind.SHARE_CLASS_CSP):
            share_class = first
        elif kind is ResourceKind.SHAREHOLDING:
            party = first
            share_class = second
        return party, share_class

    def _sections_of(self, party_token: str, class_token: str) -> tuple[Sequence[Section], str]:
        """Return the sections that ask about a party, class or else the entity, and the name of their field group."""
        schema = self._draft.schema
        if party := self._draft.party(party_token):
            return schema.sections_of(party.roles), party.kind
        if class_token:
            return [section for section in schema.sections if section.is_share_structure], SHARE_CLASS
        return schema.entity_sections, ENTITY

    def _field(self, path: str, fields: Iterable[FieldSpec]) -> str:
        """Return our name for the field that the longest part of a path names; "" if no part does.

        `parties.0.registered_address.country` names the registered address.
        """
        own_names = [spec.name for spec in fields]
        names = bodies.fields_by_name(self._row.resource_kind, own_names)
        if self._row.is_transition:
            # A transition's refusal may be about any resource; parties and classes name their properties alike.
            names = bodies.fields_by_name(ResourceKind.PARTY, own_names)
            names |= bodies.fields_by_name(ResourceKind.ENTITY, own_names)
        steps = path.split(".")[-_MAX_STEPS:]
        for length in range(len(steps), 0, -1):
            for start in range(len(steps) - length + 1):
                part = ".".join(steps[start : start + length])
                if part in names:
                    return names[part]
        return ""

    def _is_answerable(self, problem: LocatedProblem, objection: FieldProblem) -> bool:
        """Tell whether an objection names a question, document, section, person or class that the customer sees."""
        if objection.code in NOT_FOR_CUSTOMERS:
            return False
        if objection.field.partition(".")[0] in _ANSWERABLE_MEMBERS.get(self._row.resource_kind, ()):
            return True
        if problem.field in self._answerable_names(problem) or self._named_section(objection):
            return True
        if objection.slot in self._draft.schema.slot_words:
            return True
        # Every refusal of a person's own record may repeat its ID, which says nothing about the cause.
        return self._row.is_transition and bool(problem.party or problem.share_class)

    def _answerable_names(self, problem: LocatedProblem) -> set[str]:
        schema = self._draft.schema
        form_state = self._draft.form_state
        names = set()
        questions: Iterable[Question] = ()
        is_about_holder = bool(problem.party or problem.share_class)
        if not is_about_holder:
            questions = form_state.holder_questions(None)
        elif holder := self._draft.party(problem.party) or self._draft.share_class(problem.share_class):
            questions = form_state.holder_questions(holder.record)
        for question in questions:
            spec = question.spec
            is_asked = question.activation.active and not spec.provided_by_agent
            if is_asked and schema.why_unanswerable(spec) is None:
                names.add(spec.name)
        if self._row.is_transition and not is_about_holder:
            for section in schema.sections:
                if not section.is_entity and form_state.section_activation(section).active:
                    names.update(spec.name for spec in _every_field([section]))
        return names

    def _named_section(self, objection: FieldProblem) -> str:
        if objection.section:
            for section in self._draft.schema.sections:
                if objection.section in (section.key, section.original.title, section.scope):
                    return section.key
        return ""

    def _section_of(self, field: str, sections: Sequence[Section], group: str) -> str:
        """Return the key of the section with a field, else of the first section with an answer that was sent."""
        for names in ({field}, (self._row.sent or {}).get("answers", {})):
            for section in sections:
                if any(spec.name in names for spec in section.groups.get(group, ())):
                    return section.key
        for section in self._draft.schema.sections:
            if any(spec.name == field for spec in _every_field([section])):
                return section.key
        return sections[0].key if sections else ""


def _every_field(sections: Iterable[Section]) -> Iterator[FieldSpec]:
    for section in sections:
        for specs in section.groups.values():
            yield from specs


def block_submission(draft: Draft) -> tuple[Need, ...]:
    """Return a need for each refusal that stops a submission; a refused submission may itself be repeated."""
    needs = []
    for row in Delivery.objects.filter(application=draft.application):
        is_refused = row.state == DeliveryState.REFUSED and not row.is_transition
        if not (is_refused or row.is_returned):
            continue
        for problem in problems_of(row):
            needs.append(problem.need)
    return tuple(needs)


def block_approval(draft: Draft) -> tuple[ApprovalBlocker, ...]:
    """Return a blocker for each refused delivery, except an agent's own change of status."""
    blockers = []
    for row in draft.application.deliveries.all():
        is_refused = row.state == DeliveryState.REFUSED and row.resource_kind is not ResourceKind.STATUS
        if not (is_refused or row.is_returned):
            continue
        for problem in problems_of(row) or (LocatedProblem("", "refused", gettext("No reason given")),):
            party = draft.party(problem.party)
            message = f"Not accepted by the formation service: {problem.message}"
            blockers.append(ApprovalBlocker(_target(problem), party.label if party else "", message))
    return tuple(blockers)


def _target(problem: LocatedProblem) -> Target:
    if problem.slot:
        return Target.of_document(problem.party, problem.slot)
    holder = problem.party or problem.share_class or problem.section
    if problem.field and holder:
        return Target.of_field(holder, problem.field)
    if problem.party:
        return Target(TargetKind.PARTY, problem.party)
    if problem.section:
        return Target(TargetKind.SECTION, problem.section)
    return WHOLE_APPLICATION
