"""Who works on an application: asking somebody, changing what they may do, and ending it. All the owner's."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts import addresses
from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.access import GRANTABLE, Right
from formation_portal.applications.draft import Draft
from formation_portal.invitations import collaborators

from ..access_page import access_page
from ..email_box import BOX, EmailBox, read_receiver
from ..finding import draft_of

RIGHT = "right"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def access(request: UserRequest, reference: str) -> HttpResponse:
    """GET lists everybody. POST asks somebody in."""
    draft = draft_of(request, reference, takes=Right.OWN)
    if request.method != "POST":
        return _draw(request, draft)
    if chosen_in(request):
        return _draw(request, draft, box=EmailBox(request.POST.get(BOX, "")), right=_right(request))
    box, right = _judged(request), _right(request)
    if box.error:
        return _draw(request, draft, box=box, right=right, status=422)
    collaborators.share_with(draft, email=box.address, right=right, by=request.user, language=get_language() or "en")
    messages.success(request, gettext("Invitation sent to %(email)s.") % {"email": box.address})
    return redirect("portal:access", reference=reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def collaborator(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Give somebody another right. A GET, as after signing in again, only leads to the list."""
    draft = draft_of(request, reference, takes=Right.OWN)
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
    draft = draft_of(request, reference, takes=Right.OWN)
    if request.method == "POST":
        try:
            one = collaborators.revoke(draft, number, by=request.user)
        except services.Gone as gone:
            raise Http404 from gone
        messages.success(request, gettext("%(email)s no longer has access.") % {"email": one.email})
    return redirect("portal:access", reference=reference)


def _draw(
    request: UserRequest, draft: Draft, *, box: EmailBox | None = None, right: Right = Right.VIEW, status: int = 200
) -> HttpResponse:
    page = access_page(draft, box=box, right=right)
    return render(request, "portal/access.html", {"page": page, "problems": page.box.problems}, status=status)


def _judged(request: UserRequest) -> EmailBox:
    box = read_receiver(request)
    if not box.error and addresses.has(request.user, box.address):
        return EmailBox(box.typed, gettext("This is your own address. Enter someone else’s"))
    return box


def _right(request: UserRequest) -> Right:
    """The posted right; the lesser one where a form says nothing that can be given."""
    posted = request.POST.get(RIGHT)
    return next((right for right in GRANTABLE if right.value == posted), Right.VIEW)
