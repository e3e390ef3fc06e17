"""Roles in words: what each is called, who may have it, and who may not."""

from collections.abc import Iterable

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

# What adds a party of each kind.
ADD_WORDS = {
    "person": gettext_noop("Add a person"),
    "corporate": gettext_noop("Add a company"),
    "foundation": gettext_noop("Add a foundation"),
}


def role_title(section: Section) -> str:
    """The heading of a role: the section's title, else the role's own name."""
    return section.title or capitalised(canonical.role_word(section.role or ""))


def role_with_article(section: Section) -> str:
    """A holder of the role, with its article: a director, an officer."""
    return with_article(section.role or "")


def with_article(role: str) -> str:
    """The role with its article."""
    word = canonical.role_word(role)
    return (
        gettext("an {role}").format(role=word) if word[:1] in tuple("aeiou") else gettext("a {role}").format(role=word)
    )


def kind_with_article(kind: str) -> str:
    """A kind of party with its article: a person."""
    return gettext(_A_KIND[kind])


def duplicate_question(kind: str) -> str:
    """The question whether two entries are one."""
    return gettext(_SAME.get(kind, gettext_noop("Is this the same?")))


def role_reason(draft: Draft, section: Section) -> str:
    """Why the role is asked, and why it needs as many as it does, where rules decide; without the last full stop."""
    minimum = draft.form_state.minimum_of(section)
    why, how_many = draft.form_state.section_activation(section).reason, ""
    if minimum.reason and minimum.count:
        how_many = gettext("At least {count}, {reason}").format(count=minimum.count, reason=minimum.reason)
    elif minimum.reason:
        how_many = gettext("None required, {reason}").format(reason=minimum.reason)
    return ". ".join(sentence for sentence in (why, how_many) if sentence)


def allowed_kinds(section: Section) -> str:
    """A person, a company or a foundation: the kinds that the role takes, as a sentence."""
    kinds = join_list([kind_with_article(kind) for kind in canonical.PARTY_KINDS if section.allows(kind)], "or")
    return f"{capitalised(kinds)}."


def active_roles(draft: Draft) -> tuple[Section, ...]:
    """The sections of the roles that can be filled at present."""
    return tuple(
        section for section in draft.schema.role_sections if draft.form_state.section_activation(section).active
    )


def kinds_for_role(draft: Draft, role: str = "") -> tuple[str, ...]:
    """The kinds of party that the role takes, or that some role takes where none is named."""
    sections = [section for section in active_roles(draft) if not role or section.role == role]
    return tuple(kind for kind in canonical.PARTY_KINDS if any(section.allows(kind) for section in sections))


def role_choices(draft: Draft, kind: str, held: tuple[str, ...]) -> tuple[Option, ...]:
    """The roles that the kind can have; one that is held already stays in the list, so that it can be given up."""
    choices: dict[str, Option] = {}
    for section in draft.schema.role_sections:
        active = draft.form_state.section_activation(section).active
        if section.role and ((active and section.allows(kind)) or section.role in held):
            said = section.help if active else gettext("Not needed at the moment. We keep it until you submit.")
            label = capitalised(canonical.role_word(section.role))
            choice = Option(section.role, label, section.role in held, help=said, is_ours=not active)
            choices.setdefault(section.role, choice)
    return tuple(choices.values())


def excluded_roles(draft: Draft, kind: str) -> str:
    """Why some roles are not in the list: "A foundation can't be a director here."; empty where all are."""
    unsuitable = [role_with_article(section) for section in active_roles(draft) if not section.allows(kind)]
    return gettext(_CANNOT_BE[kind]).format(roles=join_list(unsuitable, "or")) if unsuitable else ""


def role_words(roles: Iterable[str]) -> str:
    """Roles in one line: Director, beneficial owner."""
    words = [canonical.role_word(role) for role in roles]
    return capitalised(", ".join(words)) if words else gettext("No role yet")


def capitalised(words: str) -> str:
    """The words with a capital at the beginning, and every other letter as it is."""
    return words[:1].upper() + words[1:]
