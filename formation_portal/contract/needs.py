"""What is still needed before an application can be submitted: one list for every page, the check and the service."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from . import canonical
from .fields.base import FieldSpec
from .fields.bounds import is_percentage
from .fields.values import Problem
from .localisation import after_colon, colon, format_percentage, gettext, gettext_noop, ngettext
from .record import Holder, Party, Record, ShareClass
from .rules import FormState, Question, evaluate
from .schema import FormSchema, Section

# How far each party's answer may be off a total that must be met.
_MARGIN = Decimal("0.01")

_NOT_FOR = {
    "person": gettext_noop("{who}: remove the role “{role}”, which a person can’t have"),
    "corporate": gettext_noop("{who}: remove the role “{role}”, which a company can’t have"),
    "foundation": gettext_noop("{who}: remove the role “{role}”, which a foundation can’t have"),
}


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that is missing: a stable code, a sentence, and where to mend it.

    Codes: required, incomplete (an answer that lacks a part), unreadable, impossible (outside a bound), minimum,
    too_many_parties, total_short, total_exceeded, party_type_not_allowed, document, share_class, holding, over_issued,
    owners_exceeded.
    """

    code: str
    text: str
    section: str
    party_id: str | None = None
    share_class_id: str | None = None
    field: str | None = None
    slot: str | None = None

    @property
    def is_correction(self) -> bool:
        """Report that something entered has to be corrected; otherwise something is still missing."""
        return self.code in CORRECTIONS


CORRECTIONS = frozenset(
    {
        "unreadable",
        "impossible",
        "too_many_parties",
        "total_exceeded",
        "party_type_not_allowed",
        "over_issued",
        "owners_exceeded",
        "refused",
    }
)


def needs(schema: FormSchema, record: Record, *, form_state: FormState | None = None) -> tuple[Need, ...]:
    """Everything still needed, in the order of the form: the entity, its roles and parties, its shares."""
    form_state = form_state or evaluate(schema, record)
    return (
        *_of_entity(form_state, schema.entity_sections),
        *needs_of_roles(form_state, lambda section: len(form_state.parties_in(section))),
        *needs_of_role_bounds(form_state),
        *(need for party in record.parties for need in _of_party(form_state, party)),
        *_of_shares(form_state),
    )


def needs_of_section(form_state: FormState, section: Section) -> tuple[Need, ...]:
    """What one section about the entity still needs, as among all `needs`; no party is asked for."""
    return tuple(_of_entity(form_state, (section,)))


def needs_of_entity(form_state: FormState) -> tuple[Need, ...]:
    """What the sections about the entity still need, as among all `needs`; no party is asked for."""
    return tuple(_of_entity(form_state, form_state.schema.entity_sections))


def needs_of_roles(form_state: FormState, parties_in: Callable[[Section], int]) -> Iterator[Need]:
    """The roles that too few have; `parties_in` counts who has one."""
    for section in form_state.schema.role_sections:
        minimum = form_state.minimum_of(section)
        short = minimum.count - parties_in(section)
        if short > 0:
            said = {"short": short, "role": section.title or section.role, "least": minimum.count}
            if minimum.reason:
                said["reason"] = minimum.reason
                text = gettext("Add {short} more under “{role}” (at least {least}, {reason})", **said)
            else:
                text = gettext("Add {short} more under “{role}” (at least {least})", **said)
            yield Need("minimum", text, section.key)


def needs_of_role_bounds(form_state: FormState) -> Iterator[Need]:
    """Yield the roles that too many have, and those whose answers do not add up (supplement, "Bounds")."""
    for section in form_state.schema.role_sections:
        if not form_state.section_activation(section).active:
            continue
        most = section.most_parties
        if most is not None and len(form_state.parties_in(section)) > most:
            counts = {"excess": len(form_state.parties_in(section)) - most, "role": section.title or section.role}
            text = gettext("Remove {excess} under “{role}” (at most {most})", most=most, **counts)
            yield Need("too_many_parties", _with_reason(section, text), section.key)
        if section.total_fields():
            yield from _needs_of_total(form_state, section, section.total_fields())


def _needs_of_total(form_state: FormState, section: Section, fields: Mapping[str, FieldSpec]) -> Iterator[Need]:
    """Yield the need of a section whose parties' answers add up to too much or, once all have answered, too little."""
    values, is_complete, spec = [], True, next(iter(fields.values()))
    for party in form_state.parties_in(section):
        party_spec = fields.get(party.kind)
        if party_spec is None or not form_state.field_activation(section, party_spec, party).active:
            continue
        value = form_state.values_of(party).get(party_spec.name)
        if value is None or form_state.objection(party_spec.name, party) is not None:
            is_complete = False
        else:
            values.append(Decimal(value))
    if section.total is None or not values:
        return
    total, limit = sum(values, Decimal(0)), section.total.limit
    # So that thirds are possible.
    margin = Decimal(0) if section.total.equals is None else _MARGIN * len(values)
    words = {"label": spec.label, "total": _quantity(spec, total), "limit": _quantity(spec, limit)}
    if total > limit + margin:
        text = gettext("“{label}” adds up to {total}. It must not exceed {limit}", **words)
        yield Need("total_exceeded", _with_reason(section, text), section.key)
    elif section.total.equals is not None and is_complete and total < limit - margin:
        missing = _quantity(spec, limit - total)
        text = gettext("“{label}” adds up to {total}. {missing} are missing to make {limit}", missing=missing, **words)
        yield Need("total_short", _with_reason(section, text), section.key)


def _with_reason(section: Section, sentence: str) -> str:
    """Return the sentence after the schema's own reason for the section's bounds, where it states one."""
    if not section.bound_message:
        return sentence
    return gettext("{reason}. {sentence}", reason=section.bound_message.rstrip("."), sentence=sentence)


def _quantity(spec: FieldSpec, number: Decimal) -> str:
    return format_percentage(number) if is_percentage(spec.name) else spec.display(number)


def needs_of_party(form_state: FormState, party: Party, *, has_shares: bool) -> tuple[Need, ...]:
    """What one party still needs, as among all `needs`; `has_shares`: some share of any class is theirs."""
    needed = _of_party(form_state, party)
    section = form_state.schema.share_section
    if section is None or has_shares or not form_state.section_activation(section).active:
        return tuple(needed)
    return (*needed, *_of_holder(form_state, section, party))


def _of_entity(form_state: FormState, sections: tuple[Section, ...]) -> Iterator[Need]:
    for section in sections:
        yield from _of_questions(form_state.questions(section), form_state, None)
    keys = {section.key for section in sections}
    for slot in form_state.slots():
        if slot.section.key in keys and slot.required and (None, slot.name) not in form_state.record.documents:
            yield Need("document", gettext("Upload “{slot}”", slot=slot.words), slot.section.key, slot=slot.name)


def _of_party(form_state: FormState, party: Party) -> Iterator[Need]:
    label = party.label or canonical.unnamed_label(party.kind)
    for section in form_state.schema.sections_of(party.roles):
        if form_state.section_activation(section).active and not section.allows(party.kind):
            title = section.title or section.role
            text = gettext(_NOT_FOR[party.kind], who=label, role=title)
            yield Need("party_type_not_allowed", text, section.key, party_id=party.id)
    yield from _of_questions(form_state.party_questions(party), form_state, party, prefix=f"{label}{colon()}")
    for slot in form_state.slots(party):
        if slot.required and (party.id, slot.name) not in form_state.record.documents:
            text = gettext("{who}: upload “{slot}”", who=label, slot=slot.words)
            yield Need("document", text, slot.section.key, party_id=party.id, slot=slot.name)


def needs_of_share_classes(form_state: FormState) -> Iterator[Need]:
    """What the classes of shares still need, as among all `needs`; no party is asked for."""
    section = form_state.schema.share_section
    if section is None or not form_state.section_activation(section).active:
        return
    classes = form_state.record.share_classes
    least = max(1, form_state.minimum_of(section).count)
    if len(classes) < least:
        yield Need(
            "share_class",
            ngettext("Add {count} share class", "Add {count} share classes", least - len(classes)),
            section.key,
        )
    for share_class in classes:
        yield from needs_of_share_class(form_state, share_class)


def _of_shares(form_state: FormState) -> Iterator[Need]:
    section = form_state.schema.share_section
    if section is None or not form_state.section_activation(section).active:
        return
    yield from needs_of_share_classes(form_state)
    holders = {holding.party_id for holding in form_state.record.holdings if holding.shares > 0}
    for party in form_state.record.parties:
        if party.id not in holders:
            yield from _of_holder(form_state, section, party)


def _of_holder(form_state: FormState, section: Section, party: Party) -> Iterator[Need]:
    """That somebody without shares needs some, where they are in the role that holds them."""
    if canonical.SHAREHOLDER in form_state.active_roles(party):
        text = gettext("Allocate shares to {who}", who=party.label or gettext("the unnamed shareholder"))
        yield Need("holding", text, section.key, party_id=party.id)


def needs_of_share_class(form_state: FormState, share_class: ShareClass) -> tuple[Need, ...]:
    """What a class of shares still needs, also one that nobody has saved yet."""
    section = form_state.schema.share_section
    if section is None:
        return ()
    prefix = f"{share_class.label or gettext('Unnamed share class')}{colon()}"
    return tuple(_of_questions(form_state.questions(section, share_class), form_state, share_class, prefix=prefix))


def _of_questions(
    questions: tuple[Question, ...], form_state: FormState, holder: Holder, *, prefix: str = ""
) -> Iterator[Need]:
    answers = holder.answers if holder else form_state.record.answers
    values, problems = answers.values, {**answers.problems, **form_state.impossible_answers(holder)}
    if not problems:
        # Where everything can be read, only what is required and unanswered is left to look at.
        questions = tuple([one for one in questions if one.required and one.spec.name not in values])
    for section, spec, activation, is_required in questions:
        # An optional question needs nothing, unless its answer can't be read or can't be true.
        if not activation.active or not (is_required or problems):
            continue
        name = spec.name
        problem = problems.get(name)
        if problem is None and (name in values or not is_required):
            continue
        text = problem.message if problem else spec.missing_message
        yield Need(
            _code_of(problem, values) if problem else "required",
            prefix + after_colon(text) if prefix else text,
            section.key,
            party_id=holder.id if isinstance(holder, Party) else None,
            share_class_id=holder.id if isinstance(holder, ShareClass) else None,
            field=name,
        )


def _code_of(problem: Problem, values: Mapping[str, Any]) -> str:
    if problem.field in values:
        return "impossible"
    return "incomplete" if problem.is_incomplete else "unreadable"


__all__ = [
    "Need",
    "Record",
    "needs",
    "needs_of_entity",
    "needs_of_party",
    "needs_of_role_bounds",
    "needs_of_roles",
    "needs_of_section",
    "needs_of_share_class",
    "needs_of_share_classes",
]
