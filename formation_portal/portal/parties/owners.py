"""The page on which the owners of a company that holds shares are entered: each with the part that they own."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import is_token, new_token
from formation_portal.applications.ownership_stakes import Owner, TypedStakes, owners_of, typed_stakes
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services import ALWAYS_COMPARE
from formation_portal.contract import canonical
from formation_portal.contract.fields.parsing import LINE_LIMIT, without_null
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.localisation import format_number, in_quotes
from formation_portal.contract.ownership import parse_stake
from formation_portal.ui.forms.controls import Option, Problem, as_options
from formation_portal.ui.ownership import unaccounted_for

from ..pages import ApplicationPage

_THERE = "party:"
_NEW = "new:"
_NEW_KINDS: Mapping[str, Promise] = {
    canonical.PERSON: _("Someone else: a person"),
    canonical.COMPANY: _("Another company"),
    "foundation": _("Another foundation"),
}


@dataclass(frozen=True, slots=True)
class NewOwner:
    """What was typed to add an owner. The token makes posting twice harmless."""

    who: str = ""
    first_name: str = ""
    last_name: str = ""
    part: str = ""
    token: str = ""

    @property
    def kind(self) -> str:
        """The kind of somebody new; empty where somebody was chosen who is here."""
        return self.who.removeprefix(_NEW) if self.who.removeprefix(_NEW) in _NEW_KINDS else ""

    @property
    def there(self) -> str:
        """The token of somebody who is here."""
        return self.who.removeprefix(_THERE) if self.who.startswith(_THERE) else ""

    @property
    def names(self) -> dict[str, str]:
        """The name by its properties."""
        if canonical.is_person(self.kind):
            both = {"first_name": self.first_name, "last_name": self.last_name}
            return {name: text for name, text in both.items() if text}
        name = " ".join(text for text in (self.first_name, self.last_name) if text)
        return {"name": name} if name else {}

    @property
    def is_empty(self) -> bool:
        """Whether nobody is to be added."""
        return not (self.who or self.first_name or self.last_name or self.part)


def new_owner(post: QueryDict) -> NewOwner:
    """What was typed to add an owner."""
    names = ("owner", "first_name", "last_name", "part")
    who, first_name, last_name, part = (" ".join(without_null(post.get(name, "")).split()) for name in names)
    token = post.get("token", "")
    return NewOwner(who, first_name, last_name, part, token if is_token(token) else new_token())


def stake_control(token: str) -> str:
    """The name and the id of one owner's control."""
    return f"stake:{token}"


@dataclass(frozen=True)
class OwnersPage(ApplicationPage):
    """One company with its owners, and with what was typed to add one."""

    company_row: PartyRow
    typed: TypedStakes
    new: NewOwner

    version = ALWAYS_COMPARE

    @property
    def title(self) -> str:
        return gettext("Who owns {name}").format(name=self.company_row.label)

    @property
    def url(self) -> str:
        return self._url("owners", self.company_row.token)

    @cached_property
    def owners(self) -> tuple[Owner, ...]:
        return owners_of(self.draft, self.company_row, self.typed)

    @property
    def controls(self) -> list[tuple[str, Owner]]:
        """The owners, each with the name of their control."""
        return [(stake_control(one.party.token), one) for one in self.owners]

    @property
    def remainder(self) -> str:
        """How much of the company is accounted for, in words."""
        return unaccounted_for(self.company_row.label, [one.part for one in self.owners if one.part is not None])

    @property
    def options(self) -> tuple[Option, ...]:
        """Whoever is here and owns nothing of it yet, then somebody new of each kind."""
        taken = {self.company_row.token, *(one.party.token for one in self.owners)}
        here = [(f"{_THERE}{row.token}", row.label) for row in self.draft.parties if row.token not in taken]
        new = [(f"{_NEW}{kind}", str(label)) for kind, label in _NEW_KINDS.items()]
        return as_options((*here, *new), self.new.who)

    @cached_property
    def new_errors(self) -> dict[str, str]:
        """Why the new owner can't be added as typed, by the control: `owner`, `first_name` or `part`."""
        errors: dict[str, str] = {}
        if self.new.is_empty:
            return errors
        if not any(option.chosen for option in self.options):
            errors["owner"] = gettext("Choose who owns part of {name}").format(name=self.company_row.label)
        elif self.new.kind and not self.new.names:
            errors["first_name"] = gettext("Enter the name of the owner")
        elif any(len(name) > LINE_LIMIT for name in self.new.names.values()):
            limit = format_number(LINE_LIMIT)
            errors["first_name"] = gettext("Enter a name of at most {limit} characters").format(limit=limit)
        if not self.new.part:
            errors["part"] = gettext("Enter how much they own, like 40% or 1/3")
        else:
            try:
                # They may have no name yet.
                parse_stake(self.new.part, of=in_quotes(gettext("Share owned")))
            except AnswerError as error:
                errors["part"] = error.message
        return errors

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What can't be read, of those who are here and of the new one."""
        here = (Problem(control, one.problem) for control, one in self.controls if one.problem)
        new = (Problem(f"new-{name.replace('_', '-')}", text) for name, text in self.new_errors.items())
        return (*here, *new)


def owners_page(draft: Draft, company: PartyRow, new: NewOwner | None = None) -> OwnersPage:
    """The page as the draft stands."""
    return OwnersPage(draft, company, typed_stakes(draft), new or NewOwner(token=new_token()))
