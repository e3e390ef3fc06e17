"""Tags about a page's reader: an e-mail address to confirm, the session's end, devices, and unsaved answers."""

from typing import Any

from allauth.account.models import EmailAddress
from django import template
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.second_factor import AFTER_SET_UP
from formation_portal.accounts.sessions import account_marker as marker_of
from formation_portal.mail.models import Email

from ..formats import day_and_time
from ..forms.form_data import recognised_answers
from ..forms.question import AnswerRow
from ..sessions import SessionEnd, session_end

register = template.Library()
register.filter(day_and_time)

_IS_CONFIRMED = "is_confirmed"
# The most e-mails of a demo to decrypt in search of an address.
_EMAILS_READ = 50


@register.simple_tag(takes_context=True)
def address_to_confirm(context: dict[str, Any]) -> str:
    """Return the reader's unconfirmed e-mail address on pages of applications, else ""."""
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or not match.route.startswith("applications/"):
        return ""
    if not request.user.is_authenticated or request.session.get(_IS_CONFIRMED):
        return ""
    if has_confirmed(request.user):
        request.session[_IS_CONFIRMED] = True
        return ""
    return str(request.user.email)


@register.simple_tag
def email_to_confirm(address: EmailAddress | str) -> str:
    if not outbox_url():
        return ""
    latest = Email.objects.filter(kind="confirmation").exclude(text="")[:_EMAILS_READ]
    sent = next((email for email in latest if email.to == str(address)), None)
    return reverse("portal:letter", args=[sent.number]) if sent else ""


@register.simple_tag
def outbox_url() -> str:
    return reverse("portal:letters") if settings.DEMO and not settings.LETTERS_GO_OUT else ""


@register.simple_tag
def emails_are_readable() -> bool:
    """Tell whether a confirmation can be read: there is a mail server, or a demo's outbox."""
    return bool(settings.LETTERS_GO_OUT or settings.DEMO)


@register.simple_tag(takes_context=True)
def when_session_ends(context: dict[str, Any]) -> SessionEnd | None:
    """Return the end of the session; None if it is far away, if nobody is signed in, or without a request."""
    request = context.get("request")
    return session_end(request) if request is not None and hasattr(request, "session") else None


@register.filter
def typed_answers(request: HttpRequest) -> tuple[AnswerRow, ...]:
    """Return the answers of a post that could not be saved, for the reader to copy."""
    return recognised_answers((name, tuple(map(str, values))) for name, values in request.POST.lists())


@register.simple_tag(takes_context=True)
def waiting_address(context: dict[str, Any]) -> str:
    """Return the URL that an agent opened before they had to set up a second factor; "" if none."""
    return str(context["request"].session.get(AFTER_SET_UP, ""))


# The names of browsers in a user agent; the first one counts, since most also name others.
_BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrom": "Chrome", "Safari": "Safari"}
_SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS": "Mac",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


@register.filter
def device_name(user_agent: str) -> str:
    names = [
        next((name for mark, name in known_names.items() if mark in user_agent), "")
        for known_names in (_BROWSERS, _SYSTEMS)
    ]
    return ", ".join(filter(None, names)) or gettext("Unknown device")


@register.simple_tag(takes_context=True)
def account_marker(context: dict[str, Any]) -> str:
    user = getattr(context.get("request"), "user", None)
    return marker_of(user) if user else ""
