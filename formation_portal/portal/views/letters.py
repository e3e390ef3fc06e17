"""Letters: the outbox and the previews, pages of the demo and of nothing else; and the way to get no more of them."""

from functools import wraps

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.policies import Rest, View, public
from formation_portal.letters import refusing
from formation_portal.letters.models import Letter
from formation_portal.letters.samples import sample, samples

from ..letters_page import FRAMING_POLICY, letter_html, letter_rows, previews

_SHOWN = 100


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
def letters(request: HttpRequest) -> HttpResponse:
    """The newest letters of the outbox."""
    rows = letter_rows(Letter.objects.all()[:_SHOWN])
    return render(request, "portal/letters.html", {"rows": rows, "go_out": settings.LETTERS_GO_OUT})


@require_safe
@public
@_only_in_the_demo
def letter(request: HttpRequest, number: str) -> HttpResponse:
    """One of them, its text and its HTML in a frame."""
    found = get_object_or_404(Letter.objects.exclude(text=""), number=number)
    response = render(request, "portal/letter.html", {"letter": found})
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
    context = {"previews": previews(language=get_language() or "en")}
    response = render(request, "portal/gallery_letters.html", context)
    response["Content-Security-Policy"] = FRAMING_POLICY
    return response


@require_safe
@public
@_only_in_the_demo
def gallery_letter(request: HttpRequest, kind: str) -> HttpResponse:
    """The HTML of one kind."""
    if kind not in samples():
        raise Http404
    return letter_html(sample(kind, language=get_language() or "en").html)


@require_http_methods(["GET", "HEAD", "POST"])
@public
def letter_refusal(request: HttpRequest, token: str) -> HttpResponse:
    """Ask once more, then send no more letters of that kind to that address. Nobody has to sign in for it."""
    kind = refusing.kind_of(token)
    if kind is None:
        raise Http404
    if request.method == "POST":
        refusing.refuse(token)
        return redirect(f"{request.path}?done=1")
    return render(request, "portal/letter_refusal.html", {"kind": kind, "is_done": "done" in request.GET})
