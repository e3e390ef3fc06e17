"""Help, display, the operator's files, session, what was not sent, the demo's gallery and e-mails, and webhooks."""

from functools import wraps
from urllib.parse import urlsplit, urlunsplit

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
from formation_portal.mail.models import Letter
from formation_portal.mail.rendering import sample_contexts, sample_letter
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

# Of the outbox.
_LETTERS_SHOWN = 100
_PAGE = "page"
_NOT_TYPED = ("language", "theme", "csrfmiddlewaretoken")


# Without a token, so that the pages of visitors need no cookie. A foreign site can change nothing but the language and
# the theme of this browser: the session doesn't come along from there, so that the account is not touched.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("Referer")
@public
def display(request: HttpRequest) -> HttpResponse:
    """Language and theme on a page of their own, with the way back; or, posted by any page, back to that. That the
    choice is kept, is seen to for every post (`accounts/languages.py`, `accounts/themes.py`).

    A page whose form would have led to its own address, with the answers in it, is named in this one's query: it is
    opened with what was filled in so far.
    """
    if request.method != "POST":
        back = request.GET.get(_PAGE, "") or _referring_page(request)
        return render(request, "portal/site/display.html", {"back": _ours(back)})
    if _PAGE not in request.GET:
        return redirect(_ours(request.POST.get(_PAGE, "")))
    path, _, query = _ours(request.GET[_PAGE]).partition("?")
    typed = {name: values for name, values in request.POST.lists() if name not in _NOT_TYPED and any(values)}
    return redirect(f"{path}?{'&'.join(filter(None, (query, urlencode(typed, doseq=True))))}")


def _referring_page(request: HttpRequest) -> str:
    """The page of ours that led here; our pages tell each other their whole address (SECURE_REFERRER_POLICY)."""
    page = urlsplit(request.headers.get("Referer", ""))
    return urlunsplit(("", "", page.path, page.query, "")) if page.netloc == request.get_host() else ""


def _ours(address: str) -> str:
    is_ours = url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if is_ours and address.startswith("/") else reverse("portal:catalog")


@require_safe
@public
def session(request: AnyRequest) -> HttpResponse:
    """When the session ends. The page that asks by itself doesn't keep the session alive by it."""
    if request.htmx:
        mark_as_background(request)
        return _render_session(request, was_extended=False)
    if not request.user.is_authenticated:
        return redirect("account_login")
    return render(request, "portal/site/session.html", {"session": session_end(request)})


@require_POST
@public
def session_extension(request: AnyRequest) -> HttpResponse:
    """Stay signed in. Where the session has ended meanwhile, that is said."""
    if request.user.is_authenticated:
        extend_session(request)
    if request.htmx:
        return _render_session(request, was_extended=True)
    return redirect("portal:session" if request.user.is_authenticated else resolve_url("account_login"))


def _render_session(request: HttpRequest, *, was_extended: bool) -> HttpResponse:
    is_in = request.user.is_authenticated
    found = session_end(request, is_told=True, was_extended=was_extended) if is_in else None
    return render(request, "portal/site/_session.html", {"session": found, "is_in": is_in})


@require_safe
@public
def operator_accent(request: HttpRequest, name: str) -> HttpResponse:
    """The operator's colours, as a style sheet of its own: no page may have style in it."""
    if not operator.has_accent:
        raise Http404
    return _kept(HttpResponse(operator.accent.css, content_type="text/css"), name == operator.accent_digest)


@require_safe
@public
def operator_logo(request: HttpRequest, name: str) -> HttpResponse:
    """The operator's logo. As a document of its own it may do nothing."""
    path = operator.logo_path
    if path is None:
        raise Http404
    answer = HttpResponse(path.read_bytes(), content_type=LOGO_TYPES[path.suffix.lower()])
    answer.headers["Content-Security-Policy"] = f"{ISOLATED_POLICY}; style-src 'unsafe-inline'"
    return _kept(answer, name == operator.logo_name)


def _kept(answer: HttpResponse, is_current: bool) -> HttpResponse:
    """Kept for a year under the address that goes with its content; under an old one it is asked for again."""
    answer.headers["Cache-Control"] = "public, max-age=31536000, immutable" if is_current else "no-cache"
    return answer


@require_safe
@public
def text(request: HttpRequest, name: str) -> HttpResponse:
    """Privacy, terms or accessibility: the operator's own text, or else ours."""
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
    """The words that are explained, with what one place calls them, and the way to each place's own."""
    place = places().get(code)
    if code and place is None:
        raise Http404
    context = {"place": place, "terms": glossary(place), "links": glossary_links()}
    return render(request, "portal/site/help.html", context)


@require_safe
@signed_in
def unsent(request: UserRequest) -> HttpResponse:
    """The form as it was posted, for whoever may open the page it came from; for anybody else it is dropped.

    It stays in the session, so that a page that is loaded again still has it; signing out drops it.
    """
    kept = unsent_form(request)
    if kept is None or not _may_open(request, kept.path):
        forget_unsent_form(request)
        return redirect("portal:applications")
    context = {"unsent": kept, "typed": typed_rows(request, kept)}
    return render(request, "portal/site/unsent.html", context)


def _may_open(request: UserRequest, path: str) -> bool:
    try:
        reference = resolve(path.partition("?")[0]).kwargs.get("reference")
    except Resolver404:
        return False
    return reference is None or Application.objects.visible_to(request.user).filter(reference=reference).exists()


def _only_in_the_demo(view: View[Rest]) -> View[Rest]:
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not settings.DEMO:
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@require_safe
@public
@_only_in_the_demo
def gallery(request: HttpRequest) -> HttpResponse:
    """Every component in every state."""
    context = {"exhibits": list(exhibits()), "elsewhere": components_shown_elsewhere()}
    return render(request, "portal/site/gallery.html", context)


@require_safe
@public
@_only_in_the_demo
def errors(request: HttpRequest) -> HttpResponse:
    """The pages for what went wrong."""
    return render(request, "portal/site/gallery_errors.html", {"names": list(ERRORS)})


@require_safe
@public
@_only_in_the_demo
def error(request: HttpRequest, name: str) -> HttpResponse:
    """One of them."""
    if name not in ERRORS:
        raise Http404
    return render(request, f"{name}.html", dict(ERRORS[name]))


@require_safe
@public
@_only_in_the_demo
def letters(request: HttpRequest) -> HttpResponse:
    """The newest letters of the outbox."""
    rows = [letter_row(one) for one in Letter.objects.all()[:_LETTERS_SHOWN]]
    return render(request, "portal/site/letters.html", {"rows": rows, "go_out": settings.LETTERS_GO_OUT})


@require_safe
@public
@_only_in_the_demo
def letter(request: HttpRequest, number: str) -> HttpResponse:
    """One of them, its text and its HTML in a frame."""
    found = get_object_or_404(Letter.objects.exclude(text=""), number=number)
    response = render(request, "portal/site/letter.html", {"letter": found})
    response["Content-Security-Policy"] = FRAMING_POLICY
    return response


@require_safe
@public
@_only_in_the_demo
def letter_body(request: HttpRequest, number: str) -> HttpResponse:
    """Its HTML."""
    return letter_html(get_object_or_404(Letter.objects.exclude(text=""), number=number).html)


@require_safe
@public
@_only_in_the_demo
def gallery_letters(request: HttpRequest) -> HttpResponse:
    """Every kind of letter with sample data."""
    language = get_language() or "en"
    samples = [(kind, sample_letter(kind, language=language)) for kind in sample_contexts()]
    response = render(request, "portal/site/gallery_letters.html", {"samples": samples})
    response["Content-Security-Policy"] = FRAMING_POLICY
    return response


@require_safe
@public
@_only_in_the_demo
def gallery_letter(request: HttpRequest, kind: str) -> HttpResponse:
    """The HTML of one kind."""
    if kind not in sample_contexts():
        raise Http404
    return letter_html(sample_letter(kind, language=get_language() or "en").html)


@require_http_methods(["GET", "HEAD", "POST"])
@public
def letter_refusal(request: HttpRequest, token: str) -> HttpResponse:
    """Ask once more, then send no more letters of that kind to that address. Nobody has to sign in for it."""
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
    """Takes one event in. Every refusal looks the same, whatever its reason."""
    if content_length(request.META) > BODY_LIMIT:
        return JsonResponse({"status": "too_large"}, status=413)
    if not receive(request.body, headers=request.headers, media_type=request.content_type or ""):
        return JsonResponse({"status": "unauthorized"}, status=401)
    return JsonResponse({"status": "received"})
