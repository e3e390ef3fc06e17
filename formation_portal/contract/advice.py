"""List the advice that stands in an application: answers that are possible but doubtful (INTERFACE.md, "Advice")."""

from collections.abc import Iterator

from . import canonical
from .localisation import after_colon, colon
from .needs import Remark
from .record import Holder, Party, ShareClass
from .rules import FormState
from .schema import Section
from .validations import ADVICE


class Advice(Remark):
    """A remark on answers that are possible but doubtful. It never prevents submission."""

    __slots__ = ()


def advice_of(form_state: FormState) -> tuple[Advice, ...]:
    """Return all advice in the order of the form; that about a party or share class begins with its name."""
    record = form_state.record
    advice = list(_holder_advice(form_state, None))
    advice += validation_advice(form_state)
    for party in record.parties:
        advice += _holder_advice(form_state, party)
    for share_class in record.share_classes:
        advice += _holder_advice(form_state, share_class)
    return tuple(advice)


def validation_advice(form_state: FormState, section: Section | None = None) -> tuple[Advice, ...]:
    """Return what the schema's rules advise, all or at a section (INTERFACE.md, "Validations")."""
    advice = []
    for verdict in form_state.validations.verdicts(section):
        place = verdict.validation
        if verdict.holds is False and place.stated.level == ADVICE:
            advice.append(Advice("advice", place.stated.message, place.section, field=place.field or None))
    return tuple(advice)


def _holder_advice(form_state: FormState, holder: Holder) -> Iterator[Advice]:
    texts = form_state.advised_answers(holder)
    for section, spec, activation, _ in form_state.holder_questions(holder):
        text = texts.pop(spec.name, "") if activation.active else ""
        if not text:
            continue
        if isinstance(holder, Party):
            label = holder.label or canonical.unnamed_label(holder.kind)
            text = f"{label}{colon()}{after_colon(text)}"
            yield Advice("advice", text, section.key, party_id=holder.id, field=spec.name)
        elif isinstance(holder, ShareClass):
            text = f"{holder.label}{colon()}{after_colon(text)}"
            yield Advice("advice", text, section.key, share_class_id=holder.id, field=spec.name)
        else:
            yield Advice("advice", text, section.key, field=spec.name)
