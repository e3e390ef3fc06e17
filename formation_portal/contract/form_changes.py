"""What is new, gone and renamed between two versions of a form. Pure.

A question is known by its name within whoever answers it: the entity, a kind of party in a role, a class of shares.
Documents count as questions of the slot's name.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from .canonical import PARTY_KINDS
from .language import say
from .schema import ENTITY, FormSchema

Asker = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """One question: under which titles it stands, its label, and the label it had where that is another."""

    where: tuple[str, ...]
    label: str
    was: str = ""


@dataclass(frozen=True, slots=True)
class FormChanges:
    """All that differs in what is asked."""

    new: tuple[ChangedQuestion, ...]
    gone: tuple[ChangedQuestion, ...]
    renamed: tuple[ChangedQuestion, ...]


def form_changes(old: FormSchema, new: FormSchema) -> FormChanges:
    """Compare what two versions of a form ask, in the order of the form."""
    before, after = dict(_asked(old)), dict(_asked(new))
    return FormChanges(
        new=_merged((title, label, "") for key, (title, label) in after.items() if key not in before),
        gone=_merged((title, label, "") for key, (title, label) in before.items() if key not in after),
        renamed=_merged(
            (title, label, before[key][1])
            for key, (title, label) in after.items()
            if key in before and before[key][1] != label
        ),
    )


def _asked(schema: FormSchema) -> Iterator[tuple[tuple[Asker, str], tuple[str, str]]]:
    """Each question by who is asked and its name, with its section's title and its label."""
    for section in schema.sections:
        if not section.is_drawn:
            continue
        for group, fields in section.groups.items():
            if group in PARTY_KINDS and not section.allows(group):
                continue
            asker = (section.role or "", group)
            for spec in fields:
                yield (asker, spec.name), (section.title, spec.label)
            for slot in section.slots(group) if group in (ENTITY, *PARTY_KINDS) else ():
                yield (asker, f"document {slot.name}"), (section.title, say("Document “{name}”", name=slot.name))


def _merged(found: Iterator[tuple[str, str, str]]) -> tuple[ChangedQuestion, ...]:
    """The same change under several titles is one line."""
    titles: dict[tuple[str, str], dict[str, None]] = {}
    for title, label, was in found:
        titles.setdefault((label, was), {})[title] = None
    return tuple(ChangedQuestion(tuple(some), label, was) for (label, was), some in titles.items())
