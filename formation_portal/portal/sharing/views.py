"""People with access: inviting, changing, ending, accepting; and invitations to fill in one's own part."""

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
from formation_portal.applications.access import GRANTABLE, Collaborator, Right
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.parties import PartyRow
from formation_portal.invitations import collaborators, parts
from formation_portal.invitations.codes import digest_of_key

from ..feedback import delivery_summary
from ..lookups import get_draft_or_404, get_party_or_404
from ..parties.removed import restores_removed_party
from .pages import EMAIL, CollaboratorRow, EmailControl, InvitationPage, posted_recipient, right_options

RIGHT = "right"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def access(request: UserRequest, reference: str) -> HttpResponse:
    """GET lists everybody. POST asks somebody in."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if request.method != "POST":
        return _render_access(request, draft)
    if chosen_in(request):
        return _render_access(request, draft, box=EmailControl(request.POST.get(EMAIL, "")), right=_right(request))
    box, right = posted_recipient(request), _right(request)
    if not box.error and addresses.has_address(request.user, box.address):
        box = EmailControl(box.typed, gettext("This is your own address. Enter someone else’s"))
    if box.error:
        return _render_access(request, draft, box=box, right=right, status=422)
    collaborators.share_with(draft, email=box.address, right=right, by=request.user, language=get_language() or "en")
    messages.success(request, gettext("Invitation sent to %(email)s.") % {"email": box.address})
    return redirect("portal:access", reference=reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def collaborator(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Give somebody another right. A GET, as after signing in again, only leads to the list."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if request.method == "POST":
        try:
            one = collaborators.change_right(draft, number, right=_right(request), by=request.user)
        except services.Gone as gone:
            raise Http404 from gone
        messages.success(
            request, gettext("%(email)s: %(right)s.") % {"email": one.email, "right": Right(one.right).words}
        )
    return redirect("portal:access", reference=reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def collaborator_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """End what somebody may do. They can be asked again, so nothing is asked first."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if request.method == "POST":
        try:
            one = collaborators.revoke(draft, number, by=request.user)
        except services.Gone as gone:
            raise Http404 from gone
        messages.success(request, gettext("%(email)s no longer has access.") % {"email": one.email})
    return redirect("portal:access", reference=reference)


def _render_access(
    request: UserRequest, draft: Draft, *, box: EmailControl | None = None, right: Right = Right.VIEW, status: int = 200
) -> HttpResponse:
    context = {
        "draft": draft,
        "rows": [CollaboratorRow(one) for one in draft.application.collaborators.select_related("user")],
        "rights": right_options(right),
        "days": settings.INVITATION_DAYS,
        "box": box,
        "problems": box.problems if box else (),
    }
    return render(request, "portal/sharing/access.html", context, status=status)


def _right(request: UserRequest) -> Right:
    """The posted right; the lesser one where a form says nothing that can be given."""
    posted = request.POST.get(RIGHT)
    return next((right for right in GRANTABLE if right.value == posted), Right.VIEW)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def invitation(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """GET says what an invitation means, and how far the last one has come. POST sends one."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    party = get_party_or_404(draft, token)
    if request.method != "POST":
        return _render_invitation(request, InvitationPage(draft, party))
    if chosen_in(request):
        return _render_invitation(request, InvitationPage(draft, party, EmailControl(request.POST.get(EMAIL, ""))))
    box = posted_recipient(request)
    if box.error:
        return _render_invitation(request, InvitationPage(draft, party, box), status=422)
    try:
        parts.invite(draft, party, email=box.address, by=request.user, language=get_language() or "en")
    except (services.Closed, services.Gone) as refused:
        messages.error(request, f"{refused}.")
    else:
        messages.success(request, gettext("Invitation sent to %(email)s.") % {"email": box.address})
    return redirect("portal:invitation", reference=reference, token=token)


def _render_invitation(request: UserRequest, page: InvitationPage, *, status: int = 200) -> HttpResponse:
    context = {"page": page, "problems": page.box.problems}
    return render(request, "portal/sharing/invitation.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def invitation_withdrawal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Shut the link. It can be sent again at any time, so nothing is asked first. A GET only leads to the page."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    party = get_party_or_404(draft, token)
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
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    party = get_party_or_404(draft, token)
    if request.method != "POST":
        return redirect("portal:invitation", reference=reference, token=token)
    if has_confirmed(request.user):
        _send_reminder(request, draft, party)
    else:
        messages.error(request, gettext("Confirm your e-mail address first. Then you can send reminders."))
    if request.POST.get("from") == "overview":
        return redirect("portal:overview", reference=reference)
    return redirect("portal:invitation", reference=reference, token=token)


def _send_reminder(request: UserRequest, draft: Draft, party: PartyRow) -> None:
    has_refusals = any(need.party_id == party.token for need in delivery_summary(draft).refused)
    try:
        parts.remind(draft, party, by=request.user, has_refusals=has_refusals)
    except parts.TooSoon:
        said = gettext("We wrote to %(name)s less than a day ago. You can send one reminder a day.")
        messages.error(request, said % {"name": party.label})
    except parts.NothingToSend:
        messages.error(request, gettext("%(name)s has no open invitation.") % {"name": party.label})
    except (services.Closed, services.Gone) as refused:
        messages.error(request, f"{refused}.")
    else:
        messages.success(request, gettext("Reminder sent to %(name)s.") % {"name": party.label})


_KEPT = "collaboration"


@require_safe
@public
def collaboration_link(request: AnyRequest) -> HttpResponse:
    """Where the letter's link leads; the answer is the same for a right key and a wrong one."""
    request.session[_KEPT] = digest_of_key(request.GET.get("key", ""))
    answer = redirect("portal:collaboration")
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cache-Control"] = "no-store"
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def collaboration(request: UserRequest) -> HttpResponse:
    """GET says what it is about, to whom it was sent. POST says yes."""
    asked = collaborators.find_by_key_digest(request.session.get(_KEPT, ""))
    if asked is None and request.method == "POST":
        return _again(request)
    if asked is None or not addresses.is_confirmed(request.user, asked.email):
        return _unavailable(request, asked)
    if request.method != "POST":
        # Its owner alone shares an application.
        inviter = asked.application.owner.get_full_name()
        context = {"draft": open_draft(asked.application), "right": Right(asked.right), "inviter": inviter}
        return render(request, "portal/sharing/collaboration.html", context)
    try:
        collaborators.accept(asked, by=request.user)
    except services.Gone:
        return _again(request)
    request.session.pop(_KEPT, None)
    messages.success(request, gettext("You now have access. You can find this application in your list."))
    return redirect("portal:overview", reference=asked.application.reference)


def _again(request: UserRequest) -> HttpResponse:
    """A second press ends where the first one did; anybody else is told that nothing is open."""
    there = collaborators.just_accepted(request.user)
    return redirect("portal:overview", reference=there.application.reference) if there else _unavailable(request, None)


def _unavailable(request: UserRequest, asked: Collaborator | None) -> HttpResponse:
    """Why it can't be opened. Whoever holds a link that was sent to somebody else learns nothing but that."""
    is_theirs = asked is not None and addresses.has_address(request.user, asked.email)
    if is_theirs:
        addresses.after_confirming(request, request.path)
    why = "unconfirmed" if is_theirs else "other" if asked else "unknown"
    return render(request, "portal/sharing/collaboration_unavailable.html", {"why": why}, status=404)
