"""List the advice that stands in an application: answers that are possible but doubtful (INTERFACE.md, "Advice")."""

import re
from collections.abc import Iterator

from . import canonical
from .localisation import after_colon, colon, gettext
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
    advice += [remark for remark in validation_advice(form_state) if not remark.field]
    for party in record.parties:
        advice += _holder_advice(form_state, party)
    for share_class in record.share_classes:
        advice += _holder_advice(form_state, share_class)
    return tuple(advice)


def advised_entity_answers(form_state: FormState, section: Section | None = None) -> dict[str, str]:
    """Return the advice about the entity's answers by name; what rules advise, only at a section if it is given."""
    texts = form_state.validations.messages_at_fields(ADVICE, section)
    if text := _doubled_ending(form_state):
        texts[canonical.ENTITY_NAME] = text
    return texts | form_state.advised_answers()


def _doubled_ending(form_state: FormState) -> str:
    """Return advice on a name that has an ending of its own beside the chosen one."""
    answers = {}
    endings: tuple[str, ...] = ()
    for spec, value in form_state.active_answers():
        answers[spec.name] = value
        if spec.name == canonical.ENTITY_NAME_ENDING:
            endings = spec.options
    name = str(answers.get(canonical.ENTITY_NAME, ""))
    chosen = answers.get(canonical.ENTITY_NAME_ENDING)
    bare_name = f" {_bare(name)}"
    for ending in sorted(endings, key=len, reverse=True):
        # The same ending is not added once more.
        if chosen and bare_name.endswith(f" {_bare(ending)}") and not name.casefold().endswith(str(chosen).casefold()):
            return gettext("The name already ends in “{ending}”, and “{chosen}” is added", ending=ending, chosen=chosen)
    return ""


def _bare(name: str) -> str:
    """Return a name without marks and capital letters, as registers compare names."""
    return re.sub(r"[.,\s]+", " ", name.casefold().replace(".", "")).strip()


def validation_advice(form_state: FormState, section: Section | None = None) -> tuple[Advice, ...]:
    """Return what the schema's rules advise, all or at a section (INTERFACE.md, "Validations")."""
    advice = []
    for verdict in form_state.validations.verdicts(section):
        place = verdict.validation
        if verdict.holds is False and place.stated.level == ADVICE:
            advice.append(Advice("advice", place.stated.message, place.section, field=place.field or None))
    return tuple(advice)


def _holder_advice(form_state: FormState, holder: Holder) -> Iterator[Advice]:
    texts = advised_entity_answers(form_state) if holder is None else form_state.advised_answers(holder)
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
