"""What is posted to a party that somebody has removed meanwhile: nothing is lost, and one press restores it first."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications import services
from formation_portal.applications.parties import PartyRow
from formation_portal.ui.formats import time_or_day
from formation_portal.ui.forms.form_data import RESTORE, ROLES, posted_answers
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.roles import role_words

from ..lookups import PartyRemoved
from ..pages import ApplicationPage, customer_name
from ..sections.changes import Reader, hidden_controls, unsaved_rows
from .owners import new_owner, stake_control
from .pages import party_form


@dataclass(frozen=True)
class RemovedPage(ApplicationPage):
    """A post to a removed party: who has removed it, what was typed as its writer recognises it, and the whole post, to
    be sent again."""

    party: PartyRow
    post: QueryDict
    reader: Reader

    @property
    def said(self) -> str:
        """Who has removed the party, and when. One query."""
        party = self.party.model
        # The entry of the history that removed the party: the first that was written once the mark was made.
        since = self.draft.application.changes.filter(at__gte=party.removed_at)
        change = since.select_related("who").order_by("pk").first()
        words = {
            "name": self.party.label,
            "who": customer_name(change.who if change else None) or gettext("Someone else"),
            "time": time_or_day(party.removed_at) if party.removed_at else "",
        }
        if change and change.who_id == self.reader.pk:
            return gettext("You removed %(name)s in another window on %(time)s.") % words
        return gettext("%(who)s removed %(name)s on %(time)s.") % words

    @cached_property
    def typed(self) -> list[AnswerRow]:
        """What was typed on the page of a party, or on that of a company's owners."""
        post, found = self.post, list[AnswerRow]()
        chosen = tuple(role for role in post.getlist(ROLES) if role)
        if ROLES in post and set(chosen) != set(self.party.roles):
            found.append(AnswerRow(gettext("Roles"), role_words(chosen)))
        form = party_form(self.draft, self.party, more_roles=post.getlist(ROLES))
        found += unsaved_rows(form, posted_answers(form, post))
        for row in self.draft.parties:
            if part := post.get(stake_control(row.token), "").strip():
                found.append(AnswerRow(row.label, part))
        new = new_owner(post)
        if name := " ".join(text for text in (new.first_name, new.last_name) if text):
            found.append(AnswerRow(name, new.part))
        return found

    @property
    def hidden_controls(self) -> tuple[tuple[str, str], ...]:
        return hidden_controls(self.post, but=("csrfmiddlewaretoken", RESTORE))


Rest = ParamSpec("Rest")
PartyView = Callable[Concatenate[UserRequest, Rest], HttpResponseBase]


def restores_removed_party(view: PartyView[Rest]) -> PartyView[Rest]:
    """For views that change one party. By then the view has seen to it that whoever posts may edit the application;
    everybody else has got what it answers where there is nobody."""

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except PartyRemoved as removed:
            if request.method != "POST":
                raise
            if request.POST.get(RESTORE) != removed.party.token:
                # A change that script posts is only told of; the page with it stays.
                if request.htmx:
                    return render(request, "portal/parties/_removed.html", {"party": removed.party}, status=422)
                return _offer_restoration(request, removed)
            try:
                back = services.restore_party(removed.draft, removed.party.token, by=request.user)
            except services.TooManyParties as full:
                messages.error(request, f"{full}.")
                return _offer_restoration(request, removed)
            except (services.Closed, services.Gone) as refused:
                messages.error(request, f"{refused}.")
            else:
                messages.success(request, gettext("{name} was restored.").format(name=back.label))
        return view(request, *args, **kwargs)

    return guarded


def _offer_restoration(request: UserRequest, removed: PartyRemoved) -> HttpResponse:
    page = RemovedPage(removed.draft, removed.party, request.POST, request.user)
    context = {"page": page, "had_files": bool(request.FILES)}
    return render(request, "portal/parties/removed.html", context, status=409)
