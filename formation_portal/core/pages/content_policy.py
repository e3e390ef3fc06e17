"""What pages and files of ours may do in a browser: their Content-Security-Policy and Permissions-Policy.

A page may run the scripts of its head, which its nonce names, and no other: a new nonce for each answer, so that nobody
who gets words into a page can know it. Only `ScriptNonces` gives one out: an answer that doesn't pass it runs no
script.
"""

import base64
import hashlib
import re
import secrets
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

_NO_SCRIPT = "script-src 'none'"
# 128 bits, which is 22 characters.
_NONCE_BYTES = 16

# Of every page, until it has its nonce.
PAGE_POLICY = "; ".join(
    (
        "default-src 'none'",
        _NO_SCRIPT,
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
# Of a page with letters in frames.
FRAMING_POLICY = f"{PAGE_POLICY}; frame-src 'self'"
# A style sheet or a script has no policy of its own; opened as a page it may do nothing.
FILE_POLICY = "default-src 'none'; frame-ancestors 'none'"
# What others have made, and what is downloaded: it may do nothing, wherever it is opened.
ISOLATED_POLICY = f"{FILE_POLICY}; base-uri 'none'; form-action 'none'; sandbox"

# What would ask for a device, a place or money. The portal uses none of it; passkeys (publickey-credentials-get and
# -create) are left as browsers have them, for the portal alone.
PERMISSIONS_POLICY = ",".join(
    f"{feature}=()"
    for feature in (
        "browsing-topics",
        "camera",
        "display-capture",
        "geolocation",
        "hid",
        "microphone",
        "midi",
        "payment",
        "serial",
        "usb",
    )
)

# Runs before anything is drawn, so that what only serves those without script never moves what is there.
FIRST_SCRIPT = 'document.documentElement.classList.add("scripted",window.PublicKeyCredential?"passkeys":"no-passkeys")'


def source_hash(text: str) -> str:
    """How a content policy names a style sheet that stands in the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class ScriptNonces:
    """Put a nonce on our scripts in the head of each page, and into the policy of that page.

    It stands within the packing and sees whole pages, those of errors as well.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponse) or not response.get("Content-Type", "").startswith("text/html"):
            return response
        # The head alone is read as text: what follows is long, and stays as it is.
        head, end, body = response.content.partition(b"</head>")
        # A fragment has no head, and brings no scripts.
        if not end:
            return response
        nonce = secrets.token_urlsafe(_NONCE_BYTES)
        response.content = _name_scripts(head.decode(), nonce).encode() + end + body
        # A policy without scripts of its own (ISOLATED_POLICY) stays as it is.
        policy = response.get("Content-Security-Policy", PAGE_POLICY)
        response["Content-Security-Policy"] = policy.replace(_NO_SCRIPT, f"script-src 'nonce-{nonce}'")
        if "Content-Length" in response:
            response["Content-Length"] = str(len(response.content))
        return response


def _name_scripts(head: str, nonce: str) -> str:
    """The head of a page with the nonce on our own scripts: the files of STATIC_URL, and FIRST_SCRIPT to the letter.

    It is put in here and not by the templates, so that no page can forget it and what is rendered once for many readers
    (`{% cached %}`) needs to know nothing of it. Whatever else got into a head stays without one, and doesn't run.
    """
    head = head.replace(f"<script>{FIRST_SCRIPT}</script>", f"<script nonce={nonce}>{FIRST_SCRIPT}</script>", 1)
    return re.sub(rf'<script (?=src="{settings.STATIC_URL}[^"]*")', f"<script nonce={nonce} ", head)
