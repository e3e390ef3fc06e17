"""Roles in words: their names, and the kinds of party that can have them."""

from collections.abc import Iterable

from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_noop

from formation_portal.applications.draft import Draft
from formation_portal.contract import canonical
from formation_portal.contract.localisation import join_list
from formation_portal.contract.schema import Section

from .forms.controls import Option

_A_KIND = {
    "person": gettext_noop("a person"),
    "corporate": gettext_noop("a company"),
    "foundation": gettext_noop("a foundation"),
}
_SAME = {
    "person": gettext_noop("Is this the same person?"),
    "corporate": gettext_noop("Is this the same company?"),
    "foundation": gettext_noop("Is this the same foundation?"),
}
_CANNOT_BE = {
    "person": gettext_noop("A person can’t be {roles} in this form."),
    "corporate": gettext_noop("A company can’t be {roles} in this form."),
    "foundation": gettext_noop("A foundation can’t be {roles} in this form."),
}

# The labels of buttons that add a party, by its kind.
ADD_WORDS = {
    "person": gettext_noop("Add a person"),
    "corporate": gettext_noop("Add a company"),
    "foundation": gettext_noop("Add a foundation"),
}


def role_title(section: Section) -> str:
    return section.title or capfirst(canonical.role_word(section.role or ""))


def role_with_article(section: Section) -> str:
    return with_article(section.role or "")


def with_article(role: str) -> str:
    word = canonical.role_word(role)
    text = gettext("an {role}") if word[:1] in tuple("aeiou") else gettext("a {role}")
    return text.format(role=word)


def kind_with_article(kind: str) -> str:
    return gettext(_A_KIND[kind])


def duplicate_question(kind: str) -> str:
    return gettext(_SAME.get(kind, gettext_noop("Is this the same?")))


def role_reason(draft: Draft, section: Section) -> str:
    """Tell why rules ask for the role and for so many parties, without a final full stop."""
    minimum = draft.form_state.minimum_of(section)
    how_many = gettext("At least {count}, {reason}") if minimum.count else gettext("None required, {reason}")
    sentences = [draft.form_state.section_activation(section).reason]
    if minimum.reason:
        sentences.append(how_many.format(count=minimum.count, reason=minimum.reason))
    return ". ".join(filter(None, sentences))


def allowed_kinds(section: Section) -> str:
    kinds = join_list([kind_with_article(kind) for kind in canonical.PARTY_KINDS if section.allows(kind)], "or")
    return f"{capfirst(kinds)}."


def active_roles(draft: Draft) -> tuple[Section, ...]:
    return tuple(
        section for section in draft.schema.role_sections if draft.form_state.section_activation(section).active
    )


def kinds_for_role(draft: Draft, role: str = "") -> tuple[str, ...]:
    """Return the kinds of party that can have the role or, without it, any role."""
    sections = [section for section in active_roles(draft) if not role or section.role == role]
    return tuple(kind for kind in canonical.PARTY_KINDS if any(section.allows(kind) for section in sections))


def role_choices(draft: Draft, kind: str, current: tuple[str, ...]) -> tuple[Option, ...]:
    """Return the roles that the kind can have, and those in `current`, so that the party can give them up."""
    choices: dict[str, Option] = {}
    for section in draft.schema.role_sections:
        active = draft.form_state.section_activation(section).active
        if section.role and ((active and section.allows(kind)) or section.role in current):
            help_text = section.help if active else gettext("Not needed at the moment. We keep it until you submit.")
            label = capfirst(canonical.role_word(section.role))
            choice = Option(section.role, label, section.role in current, help=help_text, is_ours=not active)
            choices.setdefault(section.role, choice)
    return tuple(choices.values())


def excluded_roles(draft: Draft, kind: str) -> str:
    """Tell which active roles the kind can't have, like "A foundation can't be a director here."; "" for none."""
    unsuitable = [role_with_article(section) for section in active_roles(draft) if not section.allows(kind)]
    return gettext(_CANNOT_BE[kind]).format(roles=join_list(unsuitable, "or")) if unsuitable else ""


def role_words(roles: Iterable[str]) -> str:
    return canonical.list_roles(roles) or gettext("No role yet")
