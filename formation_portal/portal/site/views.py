"""Serve display settings, the operator's files and texts, the session, unsent forms, demo pages and webhooks."""

from functools import wraps
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import get_language
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from formation_portal.accounts.policies import AnyRequest, Rest, UserRequest, View, public, signed, signed_in
from formation_portal.accounts.sessions import extend_session, mark_as_background
from formation_portal.accounts.unsent_forms import forget_unsent_form, unsent_form
from formation_portal.applications.models import Application
from formation_portal.core.integers import content_length
from formation_portal.core.operator import LOGO_TYPES, operator
from formation_portal.core.pages.content_policy import FRAMING_POLICY, ISOLATED_POLICY
from formation_portal.mail import outbox
from formation_portal.mail.models import Email
from formation_portal.mail.rendering import sample_contexts, sample_email
from formation_portal.relay.incoming_webhooks import BODY_LIMIT, receive
from formation_portal.ui.glossary import places
from formation_portal.ui.sessions import session_end

from ..privacy.pages import retention_sentences
from .pages import (
    ERRORS,
    TEXTS,
    components_shown_elsewhere,
    exhibits,
    glossary,
    glossary_links,
    letter_html,
    letter_row,
    own_text,
    typed_rows,
)

_LETTERS_SHOWN = 100
_PAGE = "page"
# Controls of the display settings, which are no answers.
_OWN_CONTROLS = ("language", "theme", "csrfmiddlewaretoken")


# Exempt from CSRF protection, so that visitors need no cookie. Another site could only change the language and the
# theme of this browser, but not of the account: the session cookie is not sent with posts from other sites.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("Referer")
@public
def display(request: HttpRequest) -> HttpResponse:
    """Offer language and theme on a page of their own. A post from any page redirects back to that page.

    The middleware stores the choice. If the URL's query names a page with a GET form, that form is refilled.
    """
    if request.method != "POST":
        # The portal's pages send their whole URL to each other (SECURE_REFERRER_POLICY). The scheme of a request is
        # unknown behind a proxy that is not trusted.
        _, _, referrer = request.headers.get("Referer", "").partition("://")
        back = _own_address(request.GET.get(_PAGE) or referrer.removeprefix(request.get_host()))
        return render(request, "portal/site/display.html", {"back": back})
    if _PAGE not in request.GET:
        return redirect(_own_address(request.POST.get(_PAGE, "")))
    path, _, query = _own_address(request.GET[_PAGE]).partition("?")
    typed = {name: values for name, values in request.POST.lists() if name not in _OWN_CONTROLS and any(values)}
    return redirect(f"{path}?{'&'.join(filter(None, (query, urlencode(typed, doseq=True))))}")


def _own_address(address: str) -> str:
    """Return the URL if it is the portal's, else that of the catalog."""
    is_ours = url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if is_ours and address.startswith("/") else reverse("portal:catalog")


@require_safe
@public
def session(request: AnyRequest) -> HttpResponse:
    """Say when the session ends. A request by script does not extend the session."""
    if request.htmx:
        mark_as_background(request)
        return _render_session(request, was_extended=False)
    if not request.user.is_authenticated:
        return redirect("account_login")
    return render(request, "portal/site/session.html", {"session": session_end(request)})


@require_POST
@public
def session_extension(request: AnyRequest) -> HttpResponse:
    """Extend the session, or say that it has ended."""
    if request.user.is_authenticated:
        extend_session(request)
    if request.htmx:
        return _render_session(request, was_extended=True)
    return redirect("portal:session" if request.user.is_authenticated else resolve_url("account_login"))


def _render_session(request: HttpRequest, *, was_extended: bool) -> HttpResponse:
    is_in = request.user.is_authenticated
    end = session_end(request, is_told=True, was_extended=was_extended) if is_in else None
    return render(request, "portal/site/_session.html", {"session": end, "is_in": is_in})


@require_safe
@public
def change_password(request: HttpRequest) -> HttpResponse:
    """Redirect password managers to the page (https://w3c.github.io/webappsec-change-password-url/)."""
    return redirect("account_change_password")


@require_safe
@public
def operator_accent(request: HttpRequest, name: str) -> HttpResponse:
    """Serve the operator's colours as a style sheet, since the content policy allows no inline style."""
    if not operator.accent_colour:
        raise Http404
    return _cached(HttpResponse(operator.accent.css, content_type="text/css"), name == operator.accent_digest)


@require_safe
@public
def operator_logo(request: HttpRequest, name: str) -> HttpResponse:
    if not operator.logo:
        raise Http404
    path = Path(operator.logo)
    response = HttpResponse(path.read_bytes(), content_type=LOGO_TYPES[path.suffix.lower()])
    response.headers["Content-Security-Policy"] = f"{ISOLATED_POLICY}; style-src 'unsafe-inline'"
    return _cached(response, name == operator.logo_name)


def _cached(response: HttpResponse, is_current: bool) -> HttpResponse:
    """Let browsers cache a file for a year if its URL has the digest of the present content."""
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if is_current else "no-cache"
    return response


@require_safe
@public
def text(request: HttpRequest, name: str) -> HttpResponse:
    if own := own_text(name, language=get_language() or settings.LANGUAGE_CODE):
        html, language = own
        context = {"title": TEXTS[name], "html": html, "language": language}
        return render(request, "portal/site/text.html", context)
    context = {
        "kept": retention_sentences(),
        "session_minutes": settings.SESSION_COOKIE_AGE // 60,
        "session_cookie": settings.SESSION_COOKIE_NAME,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
        "guest_cookie": settings.GUEST_COOKIE_NAME,
    }
    return render(request, f"portal/site/texts/{name}.html", context)


@require_safe
@public
def help(request: HttpRequest, code: str = "") -> HttpResponse:
    place = places().get(code)
    if code and place is None:
        raise Http404
    context = {"place": place, "terms": glossary(place), "links": glossary_links()}
    return render(request, "portal/site/help.html", context)


@require_safe
@signed_in
def unsent(request: UserRequest) -> HttpResponse:
    """Show a form that was posted after the session had ended. The form is stored until the reader signs out."""
    form = unsent_form(request)
    if form is None or not _may_open(request, form.path):
        forget_unsent_form(request)
        return redirect("portal:applications")
    context = {"unsent": form, "typed": typed_rows(request, form)}
    return render(request, "portal/site/unsent.html", context)


def _may_open(request: UserRequest, path: str) -> bool:
    try:
        reference = resolve(path.partition("?")[0]).kwargs.get("reference")
    except Resolver404:
        return False
    return reference is None or Application.objects.visible_to(request.user).filter(reference=reference).exists()


def _demo_page(view: View[Rest]) -> View[Rest]:
    """Let everybody read a page if the portal is a demo, or else raise 404."""

    @require_safe
    @public
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not settings.DEMO:
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@_demo_page
def gallery(request: HttpRequest) -> HttpResponse:
    context = {"exhibits": list(exhibits()), "elsewhere": components_shown_elsewhere()}
    return render(request, "portal/site/gallery.html", context)


@_demo_page
def errors(request: HttpRequest) -> HttpResponse:
    return render(request, "portal/site/gallery_errors.html", {"names": list(ERRORS)})


@_demo_page
def error(request: HttpRequest, name: str) -> HttpResponse:
    if name not in ERRORS:
        raise Http404
    return render(request, f"{name}.html", dict(ERRORS[name]))


@_demo_page
def letters(request: HttpRequest) -> HttpResponse:
    rows = [letter_row(row) for row in Email.objects.all()[:_LETTERS_SHOWN]]
    return render(request, "portal/site/letters.html", {"rows": rows, "go_out": settings.LETTERS_GO_OUT})


@_demo_page
def letter(request: HttpRequest, number: str) -> HttpResponse:
    row = get_object_or_404(Email.objects.exclude(text=""), number=number)
    response = render(request, "portal/site/letter.html", {"letter": row})
    response["Content-Security-Policy"] = FRAMING_POLICY
    return response


@_demo_page
def letter_body(request: HttpRequest, number: str) -> HttpResponse:
    return letter_html(get_object_or_404(Email.objects.exclude(text=""), number=number).html)


@_demo_page
def gallery_letters(request: HttpRequest) -> HttpResponse:
    language = get_language() or "en"
    samples = [(kind, sample_email(kind, language=language)) for kind in sample_contexts()]
    response = render(request, "portal/site/gallery_letters.html", {"samples": samples})
    response["Content-Security-Policy"] = FRAMING_POLICY
    return response


@_demo_page
def gallery_letter(request: HttpRequest, kind: str) -> HttpResponse:
    if kind not in sample_contexts():
        raise Http404
    return letter_html(sample_email(kind, language=get_language() or "en").html)


@require_http_methods(["GET", "HEAD", "POST"])
@public
def letter_refusal(request: HttpRequest, token: str) -> HttpResponse:
    """Ask for confirmation, then stop e-mails of one kind to an e-mail address. Needs no sign-in."""
    kind = outbox.kind_in_token(token)
    if kind is None:
        raise Http404
    if request.method == "POST":
        outbox.unsubscribe(token)
        return redirect(f"{request.path}?done=1")
    return render(request, "portal/site/letter_refusal.html", {"kind": kind, "is_done": "done" in request.GET})


@signed
@require_POST
def service_events(request: HttpRequest) -> JsonResponse:
    """Receive an event from the formation service. If it is refused, the response only says whether it is too large."""
    if content_length(request.META) > BODY_LIMIT:
        return JsonResponse({"status": "too_large"}, status=413)
    if not receive(request.body, headers=request.headers, media_type=request.content_type or ""):
        return JsonResponse({"status": "unauthorized"}, status=401)
    return JsonResponse({"status": "received"})
