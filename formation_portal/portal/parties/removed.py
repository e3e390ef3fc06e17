"""What is posted to a party that somebody has removed meanwhile: nothing is lost, and one press restores it first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import gettext
from formation_portal.ui.formats import time_or_day
from formation_portal.ui.forms.form import AnswerRow
from formation_portal.ui.forms.form_data import RESTORE, ROLES, posted_answers
from formation_portal.ui.roles import role_words

from ..lookups import PartyRemoved
from ..pages import ApplicationPage, customer_name
from ..sections.changes import Reader, hidden_controls, unsaved_rows
from .owners import new_owner, stake_control
from .pages import form_with_roles


@dataclass(frozen=True, slots=True)
class RemovedPage(ApplicationPage):
    """The party, who has removed it, what was typed as its writer recognises it, and the whole post, to be sent again.

    `said` tells who and when; `url` is where the post went.
    """

    party: PartyRow
    said: str
    typed: tuple[AnswerRow, ...]
    hidden_controls: tuple[tuple[str, str], ...]
    url: str


def removed_page(draft: Draft, party: PartyRow, post: QueryDict, *, url: str, reader: Reader) -> RemovedPage:
    """The page for a post to a removed party. One query."""
    return RemovedPage(
        draft=draft,
        party=party,
        said=_said(draft, party, reader),
        typed=tuple(_typed(draft, party, post)),
        hidden_controls=hidden_controls(post, but=("csrfmiddlewaretoken", RESTORE)),
        url=url,
    )


def _said(draft: Draft, party: PartyRow, reader: Reader) -> str:
    # The entry of the history that removed the party: the first that was written once the mark was made.
    since = draft.application.changes.filter(at__gte=party.model.removed_at)
    change = since.select_related("who").order_by("pk").first()
    who = change.who if change else None
    words = {
        "name": party.label,
        "who": customer_name(who) or gettext("Someone else"),
        "time": time_or_day(party.model.removed_at) if party.model.removed_at else "",
    }
    if change and change.who_id == reader.pk:
        return gettext("You removed %(name)s in another window on %(time)s.") % words
    return gettext("%(who)s removed %(name)s on %(time)s.") % words


def _typed(draft: Draft, party: PartyRow, post: QueryDict) -> Iterator[AnswerRow]:
    """What was typed on the page of a party, or on that of a company's owners."""
    chosen = tuple(role for role in post.getlist(ROLES) if role)
    if ROLES in post and set(chosen) != set(party.roles):
        yield AnswerRow(gettext("Roles"), role_words(chosen))
    form = form_with_roles(draft, party, post.getlist(ROLES))
    yield from unsaved_rows(form, posted_answers(form, post))
    for row in draft.parties:
        if typed := post.get(stake_control(row.token), "").strip():
            yield AnswerRow(row.label, typed)
    new = new_owner(post)
    if name := " ".join(text for text in (new.first_name, new.last_name) if text):
        yield AnswerRow(name, new.part)


Rest = ParamSpec("Rest")
PartyView = Callable[Concatenate[UserRequest, Rest], HttpResponse]


def restores_removed_party(view: PartyView[Rest]) -> PartyView[Rest]:
    """For views that change one party. By then the view has seen to it that whoever posts may edit the application;
    everybody else has got what it answers where there is nobody."""

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except PartyRemoved as removed:
            if request.method != "POST":
                raise
            if request.POST.get(RESTORE) != removed.party.token:
                # A change that script posts is only told of; the page with it stays.
                if request.htmx:
                    return render(request, "portal/parties/_removed.html", {"party": removed.party}, status=422)
                page = removed_page(
                    removed.draft, removed.party, request.POST, url=request.get_full_path(), reader=request.user
                )
                context = {"page": page, "had_files": bool(request.FILES)}
                return render(request, "portal/parties/removed.html", context, status=409)
            try:
                back = services.restore_party(removed.draft, removed.party.token, by=request.user)
            except (services.Closed, services.Gone) as refused:
                messages.error(request, f"{refused}.")
            else:
                messages.success(request, gettext("{name} was restored.", name=back.label))
        return view(request, *args, **kwargs)

    return guarded
