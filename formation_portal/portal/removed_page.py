"""What is said to whoever posts to a party that was removed meanwhile: who did it, what was typed, and the way back."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.parties import PartyRow
from formation_portal.portal.posted import RESTORE

from .colleagues import name_of
from .company_owners import new_owner, stake_name
from .conflict import Reader, carried
from .moments import moment
from .party_page import sheet_with_roles
from .posted import ROLES, read_answers
from .roles import role_words
from .unsaved import unsaved_rows
from .words import AnswerRow


@dataclass(frozen=True, slots=True)
class RemovedPage:
    """The party, who has removed it, what was typed as its writer recognises it, and the whole post, to be sent again.

    `said` tells who and when; `url` is where the post went.
    """

    draft: Draft
    party: PartyRow
    said: str
    typed: tuple[AnswerRow, ...]
    carried: tuple[tuple[str, str], ...]
    url: str

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def people_url(self) -> str:
        return reverse("portal:people", args=[self.draft.application.reference])


def removed_page(draft: Draft, party: PartyRow, post: QueryDict, *, url: str, reader: Reader) -> RemovedPage:
    """The page for a post to a removed party. One query."""
    return RemovedPage(
        draft=draft,
        party=party,
        said=_said(draft, party, reader),
        typed=(*_roles(party, post), *_answers(draft, party, post), *_owners(draft, post)),
        carried=carried(post, but=("csrfmiddlewaretoken", RESTORE)),
        url=url,
    )


def _said(draft: Draft, party: PartyRow, reader: Reader) -> str:
    change = _removal(draft, party)
    who = change.who if change else None
    words = {
        "name": party.label,
        "who": name_of(who) or gettext("Someone else"),
        "time": moment(party.model.removed_at) if party.model.removed_at else "",
    }
    if change and change.who_id == reader.pk:
        return gettext("You removed %(name)s in another window on %(time)s.") % words
    return gettext("%(who)s removed %(name)s on %(time)s.") % words


def _removal(draft: Draft, party: PartyRow) -> Change | None:
    """The entry of the history that removed the party: the first that was written once the mark was made."""
    since = draft.application.changes.filter(at__gte=party.model.removed_at)
    return since.select_related("who").order_by("pk").first()


def _roles(party: PartyRow, post: QueryDict) -> Iterator[AnswerRow]:
    chosen = tuple(role for role in post.getlist(ROLES) if role)
    if ROLES in post and set(chosen) != set(party.roles):
        yield AnswerRow(gettext("Roles"), role_words(chosen), is_name=False, note="")


def _answers(draft: Draft, party: PartyRow, post: QueryDict) -> tuple[AnswerRow, ...]:
    sheet = sheet_with_roles(draft, party, post.getlist(ROLES))
    return unsaved_rows(sheet, read_answers(sheet, post))


def _owners(draft: Draft, post: QueryDict) -> Iterator[AnswerRow]:
    """The parts that were typed on the page of a company's owners."""
    for row in draft.parties:
        if typed := post.get(stake_name(row.token), "").strip():
            yield AnswerRow(row.label, typed, is_name=False, note="")
    new = new_owner(post)
    if name := " ".join(text for text in (new.first_name, new.last_name) if text):
        yield AnswerRow(name, new.part, is_name=False, note="")
