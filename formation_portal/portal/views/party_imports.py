"""A sheet that was uploaded: what it says, row by row, and taking over what is wanted of it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.services.party_imports import ImportResult, RowAction
from formation_portal.contract.language import say, say_count

from ..finding import draft_of
from ..party_import_page import party_import_page

_TICKED, _CHOSEN = "row", "row:"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_import(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """What the sheet says. A post takes the ticked rows over; what is left stays to be looked at."""
    draft = draft_of(request, reference)
    found = _kept(draft, token)
    if found is None:
        return _gone(request, reference)
    if request.method != "POST" or chosen_in(request):
        wanted = _wanted(request) if request.method == "POST" else None
        return render(request, "portal/party_import.html", {"page": party_import_page(draft, found, wanted)})
    try:
        taken = services.apply_import(draft, found, _wanted(request), by=request.user)
    except services.Gone:
        return _gone(request, reference)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
        return redirect("portal:people", reference=reference)
    _say(request, taken)
    if taken.is_all:
        return redirect("portal:people", reference=reference)
    return redirect("portal:party_import", reference=reference, token=token)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_import_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Forget the sheet. A GET, as after signing in again, only leads to it."""
    draft = draft_of(request, reference)
    found = _kept(draft, token)
    if found is None:
        return _gone(request, reference)
    if request.method != "POST":
        return redirect("portal:party_import", reference=reference, token=token)
    try:
        services.delete_import(draft, found, by=request.user)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
    else:
        messages.success(request, say("Spreadsheet deleted. Nothing more was added from it."))
    return redirect("portal:people", reference=reference)


def _kept(draft: Draft, token: str) -> PartyImport | None:
    return draft.application.party_imports.kept().filter(token=token).first()


def _gone(request: UserRequest, reference: str) -> HttpResponse:
    words = say("That spreadsheet is no longer here. It was added, deleted or replaced, or is more than a week old.")
    messages.warning(request, words)
    return redirect("portal:spreadsheet", reference=reference)


def _wanted(request: UserRequest) -> dict[str, str]:
    """What is to be done with which row: ticked ones are added, and where somebody seems to be here it was chosen."""
    ticked = dict.fromkeys(request.POST.getlist(_TICKED), RowAction.ADD.value)
    chosen = {name.removeprefix(_CHOSEN): deed for name, deed in request.POST.items() if name.startswith(_CHOSEN)}
    return ticked | {token: str(deed) for token, deed in chosen.items()}


def _say(request: UserRequest, taken: ImportResult) -> None:
    if not taken.added and not taken.merged:
        messages.info(request, say("Nothing was added."))
    if taken.added:
        words = say_count("{count} person or company added.", "{count} people and companies added.", taken.added)
        messages.success(request, words)
    if taken.merged:
        words = say_count("{count} person or company updated.", "{count} people and companies updated.", taken.merged)
        messages.success(request, words)
