"""Share an application with collaborators, who accept by link, and invite parties to fill in their parts."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts import addresses
from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import AnyRequest, UserRequest, customer, public, signed_in
from formation_portal.applications import services
from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import open_draft
from formation_portal.invitations import collaborators, parts
from formation_portal.invitations.codes import digest_of_key

from ..feedback import delivery_summary
from ..lookups import get_draft_or_404, get_party_or_404
from ..parties.removed import restores_removed_party
from ..refusals import refusals_as_messages
from .pages import EMAIL, EmailControl, collaborator_row, invitation_context, posted_recipient, right_options


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def access(request: UserRequest, reference: str) -> HttpResponse:
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    right = _right(request)
    box = EmailControl(request.POST.get(EMAIL, ""))
    if request.method == "POST" and not chosen_in(request):
        box = posted_recipient(request)
        if not box.error and addresses.has_address(request.user, box.address):
            box = EmailControl(box.typed, gettext("This is your own address. Enter someone else’s"))
        if not box.error:
            language = get_language() or "en"
            collaborators.share_with(draft, email=box.address, right=right, by=request.user, language=language)
            messages.success(request, gettext("Invitation sent to %(email)s.") % {"email": box.address})
            return redirect("portal:access", reference=reference)
    context = {
        "draft": draft,
        "rows": [collaborator_row(row) for row in draft.application.collaborators.select_related("user")],
        "rights": right_options(right),
        "days": settings.INVITATION_DAYS,
        "box": box,
        "problems": box.problems,
    }
    return render(request, "portal/sharing/access.html", context, status=422 if box.error else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def collaborator(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Give a collaborator another right. A GET, as after signing in again, only redirects to the list."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if request.method == "POST":
        try:
            changed = collaborators.change_right(draft, number, right=_right(request), by=request.user)
        except services.Gone as gone:
            raise Http404 from gone
        values = {"email": changed.email, "right": Right(changed.right).label}
        messages.success(request, gettext("%(email)s: %(right)s.") % values)
    return redirect("portal:access", reference=reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def collaborator_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """End a collaborator's access, without confirmation since they can be invited again."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if request.method == "POST":
        try:
            revoked = collaborators.revoke(draft, number, by=request.user)
        except services.Gone as gone:
            raise Http404 from gone
        messages.success(request, gettext("%(email)s no longer has access.") % {"email": revoked.email})
    return redirect("portal:access", reference=reference)


def _right(request: UserRequest) -> Right:
    """Return the posted right: to edit, or in any other case to view."""
    return Right.EDIT if request.POST.get("right") == Right.EDIT else Right.VIEW


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def invitation(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Show and explain the state of a party's invitation. A post sends an invitation."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    party = get_party_or_404(draft, token)
    box = None
    if request.method == "POST" and chosen_in(request):
        box = EmailControl(request.POST.get(EMAIL, ""))
    elif request.method == "POST":
        box = posted_recipient(request)
        if not box.error:
            with refusals_as_messages(request):
                parts.invite(draft, party, email=box.address, by=request.user, language=get_language() or "en")
                messages.success(request, gettext("Invitation sent to %(email)s.") % {"email": box.address})
            return redirect("portal:invitation", reference=reference, token=token)
    context = invitation_context(draft, party, box)
    return render(request, "portal/sharing/invitation.html", context, status=422 if context["problems"] else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def invitation_withdrawal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Withdraw an invitation, without confirmation since it can be sent again. A GET only redirects to its page."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    party = get_party_or_404(draft, token)
    if request.method == "POST":
        with refusals_as_messages(request):
            parts.withdraw(draft, party, by=request.user)
            sentence = gettext("Invitation to %(name)s withdrawn. We kept their answers.")
            messages.success(request, sentence % {"name": party.label})
    return redirect("portal:invitation", reference=reference, token=token)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def invitation_reminder(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Remind a guest by e-mail, at most once a day. A GET only redirects to the invitation."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    party = get_party_or_404(draft, token)
    if request.method == "POST" and not has_confirmed(request.user):
        messages.error(request, gettext("Confirm your e-mail address first. Then you can send reminders."))
    elif request.method == "POST":
        has_refusals = any(need.party_id == party.token for need in delivery_summary(draft).refused)
        try:
            with refusals_as_messages(request):
                parts.remind(draft, party, by=request.user, has_refusals=has_refusals)
                messages.success(request, gettext("Reminder sent to %(name)s.") % {"name": party.label})
        except parts.TooSoon:
            sentence = gettext("We wrote to %(name)s less than a day ago. You can send one reminder a day.")
            messages.error(request, sentence % {"name": party.label})
        except parts.NothingToSend:
            messages.error(request, gettext("%(name)s has no open invitation.") % {"name": party.label})
    if request.POST.get("from") == "overview":
        return redirect("portal:overview", reference=reference)
    return redirect("portal:invitation", reference=reference, token=token)


# The name in the session for the digest of the link's key.
_LINK_KEY = "collaboration"


@require_safe
@public
def collaboration_link(request: AnyRequest) -> HttpResponse:
    """Store the digest of the e-mailed link's key, and redirect. Right and wrong keys get the same response."""
    request.session[_LINK_KEY] = digest_of_key(request.GET.get("key", ""))
    response = redirect("portal:collaboration")
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def collaboration(request: UserRequest) -> HttpResponse:
    """Show an invitation to the account that was invited. A post accepts it."""
    invited = collaborators.find_by_key_digest(request.session.get(_LINK_KEY, ""))
    if invited is None and request.method == "POST":
        return _already_accepted(request)
    if invited is None or not addresses.is_confirmed(request.user, invited.email):
        return _unavailable(request, invited)
    if request.method != "POST":
        context = {
            "draft": open_draft(invited.application),
            "right": Right(invited.right),
            # Only the owner shares an application.
            "inviter": invited.application.owner.get_full_name(),
        }
        return render(request, "portal/sharing/collaboration.html", context)
    try:
        collaborators.accept(invited, by=request.user)
    except services.Gone:
        return _already_accepted(request)
    request.session.pop(_LINK_KEY, None)
    messages.success(request, gettext("You now have access. You can find this application in your list."))
    return redirect("portal:overview", reference=invited.application.reference)


def _already_accepted(request: UserRequest) -> HttpResponse:
    """Redirect a second press of the button to where the first led; without a first, say that no invitation is open."""
    accepted = collaborators.just_accepted(request.user)
    if accepted is None:
        return _unavailable(request, None)
    return redirect("portal:overview", reference=accepted.application.reference)


def _unavailable(request: UserRequest, invited: Collaborator | None) -> HttpResponse:
    """Say why an invitation can't be opened, without any detail of an invitation to another account."""
    reason = "other" if invited else "unknown"
    if invited is not None and addresses.has_address(request.user, invited.email):
        addresses.after_confirming(request, request.path)
        reason = "unconfirmed"
    return render(request, "portal/sharing/collaboration_unavailable.html", {"why": reason}, status=404)
