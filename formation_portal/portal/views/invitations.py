"""Inviting somebody to fill in their own part, reminding them, and taking the invitation back. All the owner's."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft
from formation_portal.invitations import parts

from ..email_box import BOX, EmailBox, read_receiver
from ..finding import draft_of, party_of
from ..invitation_page import InvitationPage, invitation_page
from .restoring import restoring


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restoring
def invitation(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """GET says what an invitation means, and how far the last one has come. POST sends one."""
    draft = draft_of(request, reference, takes=Right.OWN)
    party = party_of(draft, token)
    if request.method != "POST":
        return _draw(request, invitation_page(draft, party))
    if chosen_in(request):
        return _draw(request, invitation_page(draft, party, box=EmailBox(request.POST.get(BOX, ""))))
    box = read_receiver(request)
    if box.error:
        return _draw(request, invitation_page(draft, party, box=box), status=422)
    try:
        parts.invite(draft, party, email=box.address, by=request.user, language=get_language() or "en")
    except (services.Closed, services.Gone) as refused:
        messages.error(request, f"{refused}.")
    else:
        messages.success(request, gettext("Invitation sent to %(email)s.") % {"email": box.address})
    return redirect("portal:invitation", reference=reference, token=token)


def _draw(request: UserRequest, page: InvitationPage, *, status: int = 200) -> HttpResponse:
    context = {"page": page, "problems": page.box.problems}
    return render(request, "portal/invitation.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def invitation_withdrawal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Shut the link. It can be sent again at any time, so nothing is asked first. A GET only leads to the page."""
    draft = draft_of(request, reference, takes=Right.OWN)
    party = party_of(draft, token)
    if request.method == "POST":
        try:
            parts.withdraw(draft, party, by=request.user)
        except (services.Closed, services.Gone) as refused:
            messages.error(request, f"{refused}.")
        else:
            said = gettext("Invitation to %(name)s withdrawn. We kept their answers.")
            messages.success(request, said % {"name": party.label})
    return redirect("portal:invitation", reference=reference, token=token)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def invitation_reminder(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Write to whoever is waited for, once a day at most. A GET only leads to the page."""
    draft = draft_of(request, reference, takes=Right.OWN)
    party_of(draft, token)
    if request.method != "POST":
        return redirect("portal:invitation", reference=reference, token=token)
    _nudge(request, draft, token)
    if request.POST.get("from") == "overview":
        return redirect("portal:overview", reference=reference)
    return redirect("portal:invitation", reference=reference, token=token)


def _nudge(request: UserRequest, draft: Draft, token: str) -> None:
    party = party_of(draft, token)
    if not has_confirmed(request.user):
        messages.error(request, gettext("Confirm your e-mail address first. Then you can send reminders."))
        return
    try:
        parts.remind(draft, party, by=request.user)
    except parts.TooSoon:
        said = gettext("We wrote to %(name)s less than a day ago. You can send one reminder a day.")
        messages.error(request, said % {"name": party.label})
    except parts.NothingToSend:
        messages.error(request, gettext("%(name)s has no open invitation.") % {"name": party.label})
    except (services.Closed, services.Gone) as refused:
        messages.error(request, f"{refused}.")
    else:
        messages.success(request, gettext("Reminder sent to %(name)s.") % {"name": party.label})
