"""The Content-Security-Policy and Permissions-Policy of pages and files. A page may run only the scripts of its head,
which carry its nonce."""

import base64
import hashlib
import re
import secrets

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

_NO_SCRIPT = "script-src 'none'"
# 128 bits, which is 22 characters.
_NONCE_BYTES = 16

# The policy of every page, before the page's nonce is added.
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
# The policy of pages that show e-mails in frames.
FRAMING_POLICY = f"{PAGE_POLICY}; frame-src 'self'"
# The policy of style sheets and scripts, which may do nothing if opened as a page.
FILE_POLICY = "default-src 'none'; frame-ancestors 'none'"
# The policy of uploads and downloads, which may do nothing, wherever they are opened.
ISOLATED_POLICY = f"{FILE_POLICY}; base-uri 'none'; form-action 'none'; sandbox"

# Features that the portal does not use. Passkeys (publickey-credentials-get and -create) keep the browser's default,
# which allows passkeys for the portal's own pages only.
PERMISSIONS_POLICY = (
    "browsing-topics=(),camera=(),display-capture=(),geolocation=(),hid=(),microphone=(),midi=(),"
    "payment=(),serial=(),usb=()"
)

# This script runs before the first paint, so that elements for browsers without scripts never shift the page.
FIRST_SCRIPT = 'document.documentElement.classList.add("scripted",window.PublicKeyCredential?"passkeys":"no-passkeys")'


def source_hash(text: str) -> str:
    """Return the hash by which a content policy allows an inline style sheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class ScriptNonces(MiddlewareMixin):
    """Put a nonce on our scripts in the head of each page, error pages included, and into the page's policy."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not isinstance(response, HttpResponse) or not response.get("Content-Type", "").startswith("text/html"):
            return response
        # Only the head is decoded, since the body is long and stays as it is.
        head, end, body = response.content.partition(b"</head>")
        # A fragment has neither head nor scripts.
        if not end:
            return response
        nonce = secrets.token_urlsafe(_NONCE_BYTES)
        response.content = _name_scripts(head.decode(), nonce).encode() + end + body
        # A policy without script-src (ISOLATED_POLICY) does not change.
        policy = response.get("Content-Security-Policy", PAGE_POLICY)
        response["Content-Security-Policy"] = policy.replace(_NO_SCRIPT, f"script-src 'nonce-{nonce}'")
        if "Content-Length" in response:
            response["Content-Length"] = str(len(response.content))
        return response


def _name_scripts(head: str, nonce: str) -> str:
    """Add the nonce to the head's scripts from STATIC_URL and to FIRST_SCRIPT. Other scripts in a head don't run.

    Templates don't add the nonce, so that no page can lack it and cached markup is the same for all readers.
    """
    head = head.replace(f"<script>{FIRST_SCRIPT}</script>", f"<script nonce={nonce}>{FIRST_SCRIPT}</script>", 1)
    return re.sub(rf'<script (?=src="{settings.STATIC_URL}[^"]*")', f"<script nonce={nonce} ", head)
