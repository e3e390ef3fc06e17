"""List what an application still needs before submission, for every page, the final check and the service."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from . import canonical
from .fields.base import FieldSpec
from .fields.bounds import is_percentage
from .fields.values import Problem
from .localisation import after_colon, colon, format_percentage, gettext, gettext_noop, ngettext
from .record import Holder, Party, Record, ShareClass
from .rules import FormState, Question, evaluate
from .schema import FormSchema, Section

# How much each party's answer may be off where a total must be met, so that thirds are possible.
_MARGIN = Decimal("0.01")

_NOT_FOR = {
    "person": gettext_noop("{who}: remove the role “{role}”, which a person can’t have"),
    "corporate": gettext_noop("{who}: remove the role “{role}”, which a company can’t have"),
    "foundation": gettext_noop("{who}: remove the role “{role}”, which a foundation can’t have"),
}

# The codes of needs to correct something entered. All other needs are about something missing.
CORRECTIONS = frozenset(
    {
        "unreadable",
        "impossible",
        "contradictory",
        "too_many_parties",
        "total_exceeded",
        "party_type_not_allowed",
        "over_issued",
        "owners_exceeded",
        "refused",
    }
)


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about an application: with a stable code, and the answer or document that it is about."""

    code: str
    text: str
    section: str
    party_id: str | None = None
    share_class_id: str | None = None
    field: str | None = None
    slot: str | None = None

    @property
    def is_correction(self) -> bool:
        return self.code in CORRECTIONS


class Need(Remark):
    """A requirement that an application does not meet yet; the remark says where to meet it."""

    __slots__ = ()


def needs(schema: FormSchema, record: Record, *, form_state: FormState | None = None) -> tuple[Need, ...]:
    """Return all needs in the order of the form: of the entity, its roles and parties, its shares."""
    form_state = form_state or evaluate(schema, record)
    needed = [*_entity_needs(form_state, schema.entity_sections), *_role_needs(form_state)]
    for party in record.parties:
        needed += _party_needs(form_state, party)
    needed += _share_needs(form_state)
    needed += contradictions(form_state)
    return tuple(needed)


def needs_of_section(form_state: FormState, section: Section) -> tuple[Need, ...]:
    """Return the needs of an entity's section: what is missing or wrong, else what contradicts other answers."""
    return tuple(_entity_needs(form_state, (section,))) or contradictions(form_state, section)


def contradictory_answers(form_state: FormState, section: Section) -> dict[str, Problem]:
    """Return, by name, the problem of each answer at which a contradiction stands, once nothing else is needed."""
    problems: dict[str, Problem] = {}
    for need in needs_of_section(form_state, section):
        if need.code == "contradictory" and need.field:
            problems.setdefault(need.field, Problem(need.field, need.code, need.text))
    return problems


def contradictions(form_state: FormState, section: Section | None = None) -> tuple[Need, ...]:
    """Return the validations that do not hold and prevent submission: all, or those of a section."""
    needed = []
    for verdict in form_state.validations.verdicts(section):
        if verdict.is_error:
            place = verdict.validation
            needed.append(Need("contradictory", place.stated.message, place.section, field=place.field or None))
    return tuple(needed)


def needs_of_entity(form_state: FormState) -> tuple[Need, ...]:
    return tuple(_entity_needs(form_state, form_state.schema.entity_sections))


def needs_of_party(form_state: FormState, party: Party, *, has_shares: bool) -> tuple[Need, ...]:
    """Return the needs of a party. `has_shares` tells whether it holds shares of any class."""
    needed = list(_party_needs(form_state, party))
    if not has_shares:
        needed += _holding_needs(form_state, party)
    return tuple(needed)


def needs_of_share_class(form_state: FormState, share_class: ShareClass) -> tuple[Need, ...]:
    """Return the needs of a share class, which may be unsaved."""
    prefix = f"{share_class.label or gettext('Unnamed share class')}{colon()}"
    return tuple(_question_needs(form_state, form_state.holder_questions(share_class), share_class, prefix))


def _entity_needs(form_state: FormState, sections: Iterable[Section]) -> Iterator[Need]:
    keys = set()
    for section in sections:
        keys.add(section.key)
        yield from _question_needs(form_state, form_state.questions(section), None)
    for slot in form_state.slots():
        if slot.section.key in keys and slot.required and (None, slot.name) not in form_state.record.documents:
            yield Need("document", gettext("Upload “{slot}”", slot=slot.words), slot.section.key, slot=slot.name)


def _role_needs(form_state: FormState) -> Iterator[Need]:
    """Yield the needs of roles with too few or many parties, or with a wrong total (INTERFACE.md, "Bounds")."""
    sections = form_state.schema.role_sections
    for section in sections:
        minimum = form_state.minimum_of(section)
        missing = minimum.count - len(form_state.parties_in(section))
        if missing > 0:
            counts = {"short": missing, "role": section.title or section.role, "least": minimum.count}
            text = gettext("Add {short} more under “{role}” (at least {least})", **counts)
            if minimum.reason:
                counts["reason"] = minimum.reason
                text = gettext("Add {short} more under “{role}” (at least {least}, {reason})", **counts)
            yield Need("minimum", text, section.key)
    for section in sections:
        if not form_state.section_activation(section).active:
            continue
        most = section.most_parties
        count = len(form_state.parties_in(section))
        if most is not None and count > most:
            counts = {"excess": count - most, "role": section.title or section.role, "most": most}
            text = gettext("Remove {excess} under “{role}” (at most {most})", **counts)
            yield Need("too_many_parties", _with_reason(section, text), section.key)
        if section.total_fields():
            yield from _total_needs(form_state, section, section.total_fields())


def _total_needs(form_state: FormState, section: Section, fields: Mapping[str, FieldSpec]) -> Iterator[Need]:
    """Yield a need if the parties' answers add up to too much or, once all parties have answered, to too little."""
    spec = next(iter(fields.values()))
    numbers = []
    is_complete = True
    for party in form_state.parties_in(section):
        party_spec = fields.get(party.kind)
        if party_spec is None or not form_state.field_activation(section, party_spec, party).active:
            continue
        value = form_state.values_of(party).get(party_spec.name)
        if value is None or form_state.objection(party_spec.name, party) is not None:
            is_complete = False
        else:
            numbers.append(Decimal(value))
    if section.total is None or not numbers:
        return
    total = sum(numbers, Decimal(0))
    limit = section.total.limit
    must_be_met = section.total.equals is not None
    margin = _MARGIN * len(numbers) if must_be_met else Decimal(0)
    write = format_percentage if is_percentage(spec.name) else spec.display
    values = {"label": spec.label, "total": write(total), "limit": write(limit)}
    if total > limit + margin:
        text = gettext("“{label}” adds up to {total}. It must not exceed {limit}", **values)
        yield Need("total_exceeded", _with_reason(section, text), section.key)
    elif must_be_met and is_complete and total < limit - margin:
        values["missing"] = write(limit - total)
        text = gettext("“{label}” adds up to {total}. {missing} are missing to make {limit}", **values)
        yield Need("total_short", _with_reason(section, text), section.key)


def _with_reason(section: Section, sentence: str) -> str:
    """Put the schema's own reason for the section's bounds, if any, before the sentence."""
    if not section.bound_message:
        return sentence
    return gettext("{reason}. {sentence}", reason=section.bound_message.rstrip("."), sentence=sentence)


def _party_needs(form_state: FormState, party: Party) -> Iterator[Need]:
    label = party.label or canonical.unnamed_label(party.kind)
    for section in form_state.schema.sections_of(party.roles):
        if form_state.section_activation(section).active and not section.allows(party.kind):
            text = gettext(_NOT_FOR[party.kind], who=label, role=section.title or section.role)
            yield Need("party_type_not_allowed", text, section.key, party_id=party.id)
    yield from _question_needs(form_state, form_state.party_questions(party), party, prefix=f"{label}{colon()}")
    for slot in form_state.slots(party):
        if slot.required and (party.id, slot.name) not in form_state.record.documents:
            text = gettext("{who}: upload “{slot}”", who=label, slot=slot.words)
            yield Need("document", text, slot.section.key, party_id=party.id, slot=slot.name)


def _share_needs(form_state: FormState) -> Iterator[Need]:
    section = form_state.active_share_section
    if section is None:
        return
    record = form_state.record
    missing = max(1, form_state.minimum_of(section).count) - len(record.share_classes)
    if missing > 0:
        text = ngettext("Add {count} share class", "Add {count} share classes", missing)
        yield Need("share_class", text, section.key)
    for share_class in record.share_classes:
        yield from needs_of_share_class(form_state, share_class)
    holders = {holding.party_id for holding in record.holdings if holding.shares > 0}
    for party in record.parties:
        if party.id not in holders:
            yield from _holding_needs(form_state, party)


def _holding_needs(form_state: FormState, party: Party) -> Iterator[Need]:
    """Yield the need of a party without shares, if its shareholder role is active."""
    section = form_state.active_share_section
    if section is None:
        return
    if canonical.SHAREHOLDER in form_state.active_roles(party):
        text = gettext("Allocate shares to {who}", who=party.label or gettext("the unnamed shareholder"))
        yield Need("holding", text, section.key, party_id=party.id)


def _question_needs(
    form_state: FormState, questions: Iterable[Question], holder: Holder, prefix: str = ""
) -> Iterator[Need]:
    answers = (holder or form_state.record).answers
    values = answers.values
    ids: dict[str, str] = {}
    if isinstance(holder, Party):
        ids["party_id"] = holder.id
    elif holder is not None:
        ids["share_class_id"] = holder.id
    impossible = form_state.impossible_answers(holder)
    for section, spec, activation, is_required in questions:
        name = spec.name
        problem = impossible.get(name) or answers.problems.get(name)
        # An optional question needs nothing, unless its answer cannot be read or cannot be true.
        if not activation.active or (problem is None and (name in values or not is_required)):
            continue
        code = "required"
        text = spec.missing_message
        if problem is not None:
            code = "unreadable"
            text = problem.message
            if name in impossible:
                code = "impossible"
            elif problem.is_incomplete:
                code = "incomplete"
        if prefix:
            text = prefix + after_colon(text)
        yield Need(code, text, section.key, field=name, **ids)
