"""Keep what is posted to a party that was removed in the meantime, and offer to restore the party."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext

from formation_portal.accounts.models import User
from formation_portal.accounts.policies import UserRequest
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.ui.forms.form_data import RESTORE
from formation_portal.ui.forms.question import AnswerRow

from ..lookups import PartyRemoved
from ..pages import ApplicationPage, customer_name, time_words
from ..sections.changes import hidden_controls
from .owners import new_owner, stake_control
from .pages import unsaved_party_rows


def _removal_words(draft: Draft, party: PartyRow, reader: User) -> str:
    """Say who removed the party, and when. Makes one SQL query."""
    # The removal is the first entry of the history after the party was marked as removed.
    since = draft.application.changes.filter(at__gte=party.model.removed_at)
    change = since.select_related("who").order_by("pk").first()
    values = {"name": party.label, "who": gettext("Someone else"), "time": time_words(party.model.removed_at)}
    if change and change.who_id == reader.pk:
        return gettext("You removed %(name)s in another window on %(time)s.") % values
    if change:
        values["who"] = customer_name(change.who) or values["who"]
    return gettext("%(who)s removed %(name)s on %(time)s.") % values


def _typed_answers(draft: Draft, party: PartyRow, post: QueryDict) -> list[AnswerRow]:
    """Return the typed answers of a party's page, or of the page of a company's owners."""
    rows = list(unsaved_party_rows(draft, party, post))
    for owner in draft.parties:
        if part := post.get(stake_control(owner.token), "").strip():
            rows.append(AnswerRow(owner.label, part))
    new = new_owner(post)
    if new.full_name:
        rows.append(AnswerRow(new.full_name, new.part))
    return rows


def restores_removed_party(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view that changes one party: a post to a removed party is answered with the offer to restore it.

    The view itself has already checked that the reader may edit the application.
    """

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except PartyRemoved as removed:
            if request.method != "POST":
                raise
            if request.POST.get(RESTORE) != removed.party.token:
                # A page that posts by script stays open, with a banner.
                if request.htmx:
                    return render(request, "portal/parties/_removed.html", {"party": removed.party}, status=422)
                return _offer_restoration(request, removed)
            try:
                party = services.restore_party(removed.draft, removed.party.token, by=request.user)
            except services.TooManyParties as full:
                messages.error(request, f"{full}.")
                return _offer_restoration(request, removed)
            except (services.Closed, services.Gone) as refused:
                messages.error(request, f"{refused}.")
            else:
                messages.success(request, gettext("{name} was restored.").format(name=party.label))
        return view(request, *args, **kwargs)

    return guarded


def _offer_restoration(request: UserRequest, removed: PartyRemoved) -> HttpResponse:
    """Offer to restore the party, with a form that sends the whole post again."""
    context = {
        "page": ApplicationPage(removed.draft),
        "party": removed.party,
        "removal_words": _removal_words(removed.draft, removed.party, request.user),
        "typed": _typed_answers(removed.draft, removed.party, request.POST),
        "hidden_controls": hidden_controls(request.POST, but=("csrfmiddlewaretoken", RESTORE)),
        "had_files": bool(request.FILES),
    }
    return render(request, "portal/parties/removed.html", context, status=409)
