"""Build the page that asks who owns a company that holds shares, and how much of it each owner has."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import new_token
from formation_portal.applications.ownership_stakes import Owner, TypedStakes, exceed_whole, owners_of, typed_stakes
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services import ALWAYS_COMPARE
from formation_portal.contract import canonical
from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.contract.fields.parsing import LINE_LIMIT, without_null
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.localisation import format_number, in_quotes
from formation_portal.contract.ownership import parse_stake
from formation_portal.ui.forms.controls import Option, Problem, as_options

from ..lookups import posted_token
from ..pages import FormPage

_NEW_KINDS: Mapping[str, Promise] = {
    canonical.PERSON: _("Someone else: a person"),
    canonical.COMPANY: _("Another company"),
    "foundation": _("Another foundation"),
}


@dataclass(frozen=True, slots=True)
class NewOwner:
    """The owner to add, as typed. The token keeps a second post from adding another."""

    token: str
    # The chosen option: "party:" and the token of an existing party, or "new:" and the kind of a new party.
    who: str = ""
    first_name: str = ""
    last_name: str = ""
    part: str = ""

    @property
    def kind(self) -> str:
        """Return the kind of a new party; "" if an existing party was chosen."""
        choice, _, kind = self.who.partition(":")
        return kind if choice == "new" and kind in _NEW_KINDS else ""

    @property
    def party_token(self) -> str:
        choice, _, token = self.who.partition(":")
        return token if choice == "party" else ""

    @property
    def names(self) -> dict[str, str]:
        names = {"name": self.full_name}
        if self.kind == canonical.PERSON:
            names = {"first_name": self.first_name, "last_name": self.last_name}
        return {name: text for name, text in names.items() if text}

    @property
    def full_name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()

    @property
    def is_empty(self) -> bool:
        return not (self.who or self.full_name or self.part)


def new_owner(post: QueryDict) -> NewOwner:
    names = ("owner", "first_name", "last_name", "part")
    typed = [clean_line(without_null(post.get(name, ""))) for name in names]
    return NewOwner(posted_token(post), *typed)


def stake_control(token: str) -> str:
    return f"stake:{token}"


@dataclass(frozen=True)
class OwnersPage(FormPage):
    """The owners of one company, and the owner to add. `typed` has the owned shares as typed, even refused ones."""

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
    def controls(self) -> list[tuple[str, Owner, str]]:
        """Return for each owner: the name of the control, the owner, and the error at the control."""
        controls: list[tuple[str, Owner, str]] = []
        for owner in self.owners:
            error = self.excess if owner.part else owner.problem
            controls.append((stake_control(owner.party.token), owner, error))
        return controls

    @cached_property
    def excess(self) -> str:
        """Return the error if all shares, with the new owner's, exceed 100%; else ""."""
        parts = [owner.part for owner in self.owners]
        with suppress(AnswerError):
            parts.append(parse_stake(self.new.part, of=""))
        return gettext("Correct the shares. They must not exceed 100%") if exceed_whole(parts) else ""

    @property
    def options(self) -> tuple[Option, ...]:
        taken = {self.company_row.token, *(owner.party.token for owner in self.owners)}
        choices = [(f"party:{party.token}", party.label) for party in self.draft.parties if party.token not in taken]
        choices += [(f"new:{kind}", str(label)) for kind, label in _NEW_KINDS.items()]
        return as_options(choices, self.new.who)

    @cached_property
    def new_errors(self) -> dict[str, str]:
        """Return the errors of the new owner by control: `owner`, `first_name` or `part`."""
        errors: dict[str, str] = {}
        if self.new.is_empty:
            return errors
        if not any(option.chosen for option in self.options):
            errors["owner"] = gettext("Choose who owns part of {name}").format(name=self.company_row.label)
        elif self.new.kind and self.party_limit and self.draft.party(self.new.token) is None:
            errors["owner"] = self.party_limit
        elif self.new.kind and not self.new.names:
            errors["first_name"] = gettext("Enter the name of the owner")
        elif any(len(name) > LINE_LIMIT for name in self.new.names.values()):
            limit = format_number(LINE_LIMIT)
            errors["first_name"] = gettext("Enter a name of at most {limit} characters").format(limit=limit)
        if not self.new.part:
            errors["part"] = gettext("Enter how much they own, like 40% or 1/3")
        else:
            try:
                # The owner may have no name yet.
                parse_stake(self.new.part, of=in_quotes(gettext("Share owned")))
            except AnswerError as error:
                errors["part"] = error.message
        return errors

    @property
    def new_part_error(self) -> str:
        return self.new_errors.get("part") or (self.new.part and self.excess)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the errors of the form; the excess over 100% only for the last control that shows it."""
        problems: list[Problem] = []
        exceeding = ""
        for control, owner, _error in self.controls:
            if owner.problem:
                problems.append(Problem(control, owner.problem))
            if owner.part:
                exceeding = control
        problems += [Problem(f"new-{name.replace('_', '-')}", text) for name, text in self.new_errors.items()]
        if self.new_part_error == self.excess:
            exceeding = "new-part"
        if self.excess:
            problems.append(Problem(exceeding, self.excess))
        return tuple(problems)


def owners_page(
    draft: Draft, company: PartyRow, new: NewOwner | None = None, *, posted: Mapping[str, str] | None = None
) -> OwnersPage:
    typed = typed_stakes(draft) | {(company.token, owner): text for owner, text in (posted or {}).items()}
    return OwnersPage(draft, company, typed, new or NewOwner(token=new_token()))
