"""What a browser that has nothing of ours yet gets in the page itself: the rules of the style sheets that it uses.

It draws them without another round trip. The sheets themselves and the scripts come once that is drawn, and serve the
next pages from the browser's cache; the scripts are fetched before, without haste. Pages that follow a link of ours
name both in their head.
"""

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
from .content_policy import FIRST_SCRIPT, PAGE_POLICY, allow, name_scripts, new_nonce
from .styles import Rule, names_in, parse

_LINK = re.compile(r'<link rel="stylesheet" href="([^"]+)">\s*')
_SCRIPT = re.compile(r'<script nonce=\S+ src="([^"]+)" defer></script>\s*')
# On a first visit it also brings the rest, once the first view is drawn and a moment has gone, so that a first letter
# doesn't wait for it. Not before the page has loaded: htmx waits for that, or has missed it. Scripts run in their
# order, and what they do when a page shows they do as soon as they are there. Each takes its element away when it has
# run, so that the page tells when the last of them has.
FIRST_VISIT_SCRIPT = (
    FIRST_SCRIPT + ';addEventListener("load",()=>requestAnimationFrame(()=>setTimeout(()=>{'
    'const{content}=document.getElementById("rest"),'
    'onload=({target})=>{target.remove();dispatchEvent(new Event("pageshow"))};'
    'for(const one of content.querySelectorAll("script"))Object.assign(one,{async:false,onload});'
    "document.body.append(content)},150)))"
)


def is_first_visit(request: HttpRequest) -> bool:
    """Whether a browser asks for a page that it doesn't come to from a page of ours."""
    is_page = request.headers.get("Sec-Fetch-Dest") == "document"
    return is_page and request.headers.get("Sec-Fetch-Site") != "same-origin"


class FirstVisit:
    """Gives each page the nonce of its scripts, and puts style sheets into the pages of browsers that come from
    elsewhere: a search, a letter, an address typed.

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
        # Of most pages the head alone is read as text: what follows is long, and stays as it is.
        head, end, body = response.content.partition(b"</head>")
        # A fragment has no head, and brings no scripts.
        if not end:
            return response
        nonce, css = new_nonce(), ""
        named = name_scripts(head.decode(), nonce)
        if not settings.DEBUG and is_first_visit(request) and f">{FIRST_SCRIPT}</script>" in named:
            links = _LINK.findall(named)
            css = _used_css(links, response.content.decode())
            if css:
                named, body = _with_styles(named, body, links, css, nonce)
        response.content = named.encode() + end + body
        policy = response.get("Content-Security-Policy", PAGE_POLICY)
        response["Content-Security-Policy"] = allow(policy, nonce=nonce, css=css)
        if "Content-Length" in response:
            response["Content-Length"] = str(len(response.content))
        return response


def _with_styles(head: str, body: bytes, links: list[str], css: str, nonce: str) -> tuple[str, bytes]:
    """Head and body with the rules in them; the sheets and the scripts follow later."""
    sheets = "".join(f'<link rel="stylesheet" href="{link}">' for link in links)
    scripts = "".join(f'<script nonce={nonce} src="{script}" defer></script>' for script in _SCRIPT.findall(head))
    rest = f'<template id="rest">{sheets}{scripts}</template><noscript>{sheets}</noscript>'
    head = _LINK.sub("", head).replace(f">{FIRST_SCRIPT}<", f">{FIRST_VISIT_SCRIPT}<")
    preload = rf'<link rel="preload" nonce={nonce} as="script" href="\1" fetchpriority="low">'
    return f"{_SCRIPT.sub(preload, head)}<style>{css}</style>", body.replace(b"</body>", f"{rest}</body>".encode())


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
