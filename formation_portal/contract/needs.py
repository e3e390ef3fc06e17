"""What is still needed before an application can be submitted: one list for every page, the check and the service."""

from collections.abc import Iterator
from dataclasses import dataclass

from . import canonical
from .language import following_on, noted, say, say_count
from .record import Holder, Party, Record, ShareClass
from .rules import Minimum, Question, Standing, settle
from .schema import FormSchema, Section

_NOT_FOR = {
    "person": noted("{who}: remove the role “{role}”, which a person can’t have"),
    "corporate": noted("{who}: remove the role “{role}”, which a company can’t have"),
    "foundation": noted("{who}: remove the role “{role}”, which a foundation can’t have"),
}


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that is missing: a stable code, a sentence, and where to mend it.

    Codes: required, unreadable, minimum, party_type_not_allowed, document, share_class, holding.
    """

    code: str
    text: str
    section: str
    party_id: str | None = None
    share_class_id: str | None = None
    field: str | None = None
    slot: str | None = None


def needs(schema: FormSchema, record: Record, *, standing: Standing | None = None) -> tuple[Need, ...]:
    """Everything still needed, in the order of the form: the entity, its roles and parties, its shares."""
    standing = standing or settle(schema, record)
    return (
        *_of_entity(standing),
        *_of_roles(standing),
        *(need for party in record.parties for need in _of_party(standing, party)),
        *_of_shares(standing),
    )


def _of_entity(standing: Standing) -> Iterator[Need]:
    for section in standing.schema.entity_sections:
        yield from _of_questions(standing.questions(section), standing, None)
    for slot in standing.slots():
        if slot.required and (None, slot.name) not in standing.record.documents:
            yield Need("document", say("Upload “{slot}”", slot=slot.name), slot.section.key, slot=slot.name)


def _of_roles(standing: Standing) -> Iterator[Need]:
    for section in standing.schema.role_sections:
        minimum = standing.minimum(section)
        short = minimum.count - standing.tally(section)
        if short > 0:
            yield Need("minimum", _short(section, minimum, short), section.key)


def _short(section: Section, minimum: Minimum, short: int) -> str:
    said = {"short": short, "role": section.title or section.role, "least": minimum.count}
    if minimum.reason:
        return say("Add {short} more under “{role}” (at least {least}, {reason})", reason=minimum.reason, **said)
    return say("Add {short} more under “{role}” (at least {least})", **said)


def _of_party(standing: Standing, party: Party) -> Iterator[Need]:
    label = party.label or canonical.nameless(party.kind)
    for section in standing.schema.sections_of(party.roles):
        if standing.section(section).active and not section.allows(party.kind):
            title = section.title or section.role
            text = say(_NOT_FOR[party.kind], who=label, role=title)
            yield Need("party_type_not_allowed", text, section.key, party_id=party.id)
    yield from _of_questions(standing.party_questions(party), standing, party, prefix=f"{label}: ")
    for slot in standing.slots(party):
        if slot.required and (party.id, slot.name) not in standing.record.documents:
            text = say("{who}: upload “{slot}”", who=label, slot=slot.name)
            yield Need("document", text, slot.section.key, party_id=party.id, slot=slot.name)


def _of_shares(standing: Standing) -> Iterator[Need]:
    section = standing.schema.share_section
    if section is None or not standing.section(section).active:
        return
    classes = standing.record.share_classes
    least = max(1, standing.minimum(section).count)
    if len(classes) < least:
        yield Need(
            "share_class",
            say_count("Add {count} share class", "Add {count} share classes", least - len(classes)),
            section.key,
        )
    for share_class in classes:
        yield from needs_of_share_class(standing, share_class)
    yield from _of_holdings(standing, section)


def needs_of_share_class(standing: Standing, share_class: ShareClass) -> tuple[Need, ...]:
    """What a class of shares still needs, also one that nobody has saved yet."""
    section = standing.schema.share_section
    if section is None:
        return ()
    prefix = f"{share_class.label or say('Unnamed share class')}: "
    return tuple(_of_questions(standing.questions(section, share_class), standing, share_class, prefix=prefix))


def _of_holdings(standing: Standing, section: Section) -> Iterator[Need]:
    holders = {holding.party_id for holding in standing.record.holdings if holding.shares > 0}
    for party in standing.record.parties:
        if canonical.SHAREHOLDER in standing.active_roles(party) and party.id not in holders:
            text = say("Allocate shares to {who}", who=party.label or say("the unnamed shareholder"))
            yield Need("holding", text, section.key, party_id=party.id)


def _of_questions(
    questions: tuple[Question, ...], standing: Standing, holder: Holder, *, prefix: str = ""
) -> Iterator[Need]:
    answers = holder.answers if holder else standing.record.answers
    for question in questions:
        name = question.spec.name
        if not question.verdict.active:
            continue
        problem = answers.problems.get(name)
        if problem is None and (name in answers.values or not question.required):
            continue
        text = problem.message if problem else question.spec.ask
        yield Need(
            "unreadable" if problem else "required",
            prefix + following_on(text) if prefix else text,
            question.section.key,
            party_id=holder.id if isinstance(holder, Party) else None,
            share_class_id=holder.id if isinstance(holder, ShareClass) else None,
            field=name,
        )


__all__ = ["Need", "Record", "needs", "needs_of_share_class"]
