"""What a browser that has nothing of ours yet gets in the page itself: the rules of the style sheets that it uses.

It draws them without another round trip. The sheets themselves and the scripts come once that is drawn, and serve the
next pages from the browser's cache; the scripts are fetched before, without haste. Pages that follow a link of ours
name both in their head.
"""

import base64
import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import find
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.templatetags.static import static
from django.utils.cache import patch_vary_headers

from ..operator import operator
from ..static_files import SHEETS, bundle_css
from .styles import Rule, names_in, parse

# Runs before anything is drawn, so that what only serves those without script never moves what is there.
FIRST_SCRIPT = 'document.documentElement.classList.add("scripted")'

_LINK = re.compile(r'<link rel="stylesheet" href="([^"]+)">\s*')
_SCRIPT = re.compile(r'<script src="([^"]+)" defer></script>\s*')
# On a first visit it also brings the rest, once the first view is drawn and a moment has gone, so that a first letter
# doesn't wait for it. Not before the page has loaded: htmx waits for that, or has missed it. Scripts run in their
# order, and what they do when a page shows they do as soon as they are there.
FIRST_VISIT_SCRIPT = (
    FIRST_SCRIPT + ';addEventListener("load",()=>requestAnimationFrame(()=>setTimeout(()=>{'
    'const{content}=document.getElementById("rest"),onload=()=>dispatchEvent(new Event("pageshow"));'
    'for(const one of content.querySelectorAll("script"))Object.assign(one,{async:false,onload});'
    "document.body.append(content)},150)))"
)


def source_hash(text: str) -> str:
    """How the content policy names a script or style sheet that stands in the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' {source_hash(FIRST_SCRIPT)}",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)


def is_first_visit(request: HttpRequest) -> bool:
    """Whether a browser asks for a page that it doesn't come to from a page of ours."""
    is_page = request.headers.get("Sec-Fetch-Dest") == "document"
    return is_page and request.headers.get("Sec-Fetch-Site") != "same-origin"


class FirstVisit:
    """Puts style sheets into the pages of browsers that come from elsewhere: a search, a letter, an address typed.

    Which those are a browser says itself (`Sec-Fetch-Site`), so nobody is given a cookie for it; one that says nothing
    gets pages as they are. It stands within the packing and sees whole pages, those of errors as well.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponse) or not response.get("Content-Type", "").startswith("text/html"):
            return response
        patch_vary_headers(response, ("Sec-Fetch-Site",))
        if settings.DEBUG or not is_first_visit(request):
            return response
        page = response.content.decode(response.charset)
        head, end, body = page.partition("</head>")
        links = _LINK.findall(head)
        css = _used_css(links, page)
        first, first_visit = (f"<script>{text}</script>" for text in (FIRST_SCRIPT, FIRST_VISIT_SCRIPT))
        if not css or first not in head:
            return response
        sheets = "".join(f'<link rel="stylesheet" href="{link}">' for link in links)
        scripts = "".join(f'<script src="{script}" defer></script>' for script in _SCRIPT.findall(head))
        rest = f'<template id="rest">{sheets}{scripts}</template><noscript>{sheets}</noscript>'
        body = body.replace("</body>", f"{rest}</body>")
        head = _LINK.sub("", head).replace(first, first_visit)
        head = _SCRIPT.sub(r'<link rel="preload" as="script" href="\1" fetchpriority="low">', head)
        response.content = f"{head}<style>{css}</style>{end}{body}"
        policy = response.get("Content-Security-Policy", CONTENT_POLICY)
        policy = policy.replace("style-src", f"style-src {source_hash(css)}")
        policy = policy.replace(source_hash(FIRST_SCRIPT), source_hash(FIRST_VISIT_SCRIPT))
        response["Content-Security-Policy"] = policy
        if "Content-Length" in response:
            response["Content-Length"] = str(len(response.content))
        return response


def _used_css(links: list[str], page: str) -> str:
    """The rules that the page uses of the sheets under these addresses, in their order; none where one isn't ours."""
    names, sheets = names_in(page), {static(name): _rules_of(name) for name in SHEETS}
    # The operator's colours are the one sheet that is no file.
    accent = (Rule(operator.accent.css),)
    rules = [accent if link.endswith(f"/{operator.accent_digest}.css") else sheets.get(link, ()) for link in links]
    return "".join(rule.used(names) for sheet in rules for rule in sheet) if all(rules) else ""


@cache
def _rules_of(sheet: str) -> tuple[Rule, ...]:
    found = find(sheet)
    return parse(bundle_css(Path(found))) if isinstance(found, str) else ()
