"""What the page for a new party shows: first which kind it is, then what it does here."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import QueryDict
from django.urls import reverse

from formation_portal.accounts.models import User
from formation_portal.applications.contacts import copyable_answers, owner_contact
from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import is_token, new_token
from formation_portal.contract import canonical
from formation_portal.contract.language import noted, say
from formation_portal.portal.options import Problem

from . import roles
from .roles import RoleChoice

# Says in an address that what it names is not chosen yet.
CHOOSING = "choosing"

_HEADINGS = {
    "person": noted("Add a person"),
    "corporate": noted("Add a company"),
    "foundation": noted("Add a foundation"),
}
_HINTS = {
    "person": noted("A natural person"),
    "corporate": noted("A company or other organisation"),
    "foundation": noted("A private foundation"),
}


@dataclass(frozen=True, slots=True)
class KindChoice:
    """One kind of party."""

    value: str
    label: str
    help: str
    chosen: bool


@dataclass(frozen=True)
class PartyNewPage:
    """One step of the two. The token makes posting the page twice harmless."""

    draft: Draft
    user: User
    kind: str
    role: str
    chosen: tuple[str, ...]
    is_me: bool
    token: str
    # The kind that is ticked in the first step.
    ticked: str

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def people_url(self) -> str:
        return reverse("portal:people", args=[self.draft.application.reference])

    @cached_property
    def kinds(self) -> tuple[KindChoice, ...]:
        """The kinds that the role takes, or any role where none was named."""
        return tuple(
            KindChoice(kind, _capital(roles.a_kind(kind)), say(_HINTS[kind]), kind == self.ticked)
            for kind in roles.kinds_for(self.draft, self.role)
        )

    @property
    def word(self) -> str:
        """Person, Company or Foundation; empty in the first step."""
        return canonical.kind_title(self.kind) if self.kind else ""

    @property
    def heading(self) -> str:
        """What the page is for."""
        return say(_HEADINGS[self.kind]) if self.kind else say("Add someone")

    @property
    def roles(self) -> tuple[RoleChoice, ...]:
        """The roles that the kind can have, with those ticked that were chosen before."""
        choices = roles.role_choices(self.draft, self.kind, ())
        return tuple(
            RoleChoice(one.value, one.label, one.help, one.value in self.chosen, one.is_ours) for one in choices
        )

    @property
    def not_for(self) -> str:
        return roles.not_for(self.draft, self.kind)

    @property
    def may_be_me(self) -> bool:
        """Whether the reader can be the new person: not a company, and not there already."""
        addresses = {value for row in self.draft.parties for value in row.raw.values() if isinstance(value, str)}
        return canonical.is_person(self.kind) and self.user.email not in addresses

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What has to be chosen before the party can be made."""
        if not self.kind:
            return (Problem("kind", say("Choose who you are adding")),)
        if not any(one.chosen for one in self.roles):
            return (Problem("roles-1", say("Choose at least one role")),)
        return ()

    @property
    def raw(self) -> dict[str, Any]:
        """What is known of the reader, where the new person is they."""
        if not (self.is_me and self.may_be_me):
            return {}
        return copyable_answers(self.draft, owner_contact(self.user, self.draft), self.chosen)


def party_new_page(draft: Draft, asked: QueryDict, user: User) -> PartyNewPage:
    """The step that `asked`, a query or a post, has come to. A kind that no role takes is asked again.

    So is one that is only being chosen: its page was opened once more in another language.
    """
    role = asked.get("role", "")
    kinds = roles.kinds_for(draft, role)
    kind = asked.get("kind", kinds[0] if len(kinds) == 1 else "")
    kind = kind if kind in kinds else ""
    chosen = tuple(one for one in asked.getlist("roles") if one) or ((role,) if role else ())
    token = asked.get("token", "")
    return PartyNewPage(
        draft=draft,
        user=user,
        kind="" if CHOOSING in asked else kind,
        role=role,
        chosen=chosen,
        is_me="me" in asked,
        token=token if is_token(token) else new_token(),
        ticked=kind or next(iter(kinds), ""),
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
