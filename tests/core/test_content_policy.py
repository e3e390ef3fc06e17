"""The content policy of pages: what runs in one is named by its nonce, and nothing else is."""

import re

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from formation_portal.core.pages.content_policy import FIRST_SCRIPT, FRAMING_POLICY, ScriptNonces

ARRIVAL = {"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"}
PAGES = ("/privacy/", "/accounts/login/", "/there-is-no-such-page/")


def policy_of(answer: HttpResponse) -> dict[str, set[str]]:
    """Return the sources that each directive allows."""
    directives = (directive.split() for directive in answer["Content-Security-Policy"].split(";"))
    return {name: set(sources) for name, *sources in directives}


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{}, ARRIVAL], ids=["says nothing", "typed"])
@pytest.mark.parametrize("address", PAGES)
def test_a_page_runs_the_scripts_of_its_head_alone_and_has_its_styles_in_files(
    address: str, headers: dict[str, str]
) -> None:
    answer, other = (Client().get(address, headers=headers) for _ in range(2))
    assert answer["Content-Security-Policy"] != other["Content-Security-Policy"], "each has a nonce of its own"
    assert "private" in answer["Cache-Control"] or "no-store" in answer["Cache-Control"]
    policy, page = policy_of(answer), answer.content.decode()
    head, _, body = page.partition("</head>")
    [nonce] = set(re.findall(r" nonce=([\w-]{22})[ >]", page))
    assert (policy["default-src"], policy["style-src"]) == ({"'none'"}, {"'self'"})
    assert policy["script-src"] == {f"'nonce-{nonce}'"}
    assert head.count("<script") == head.count(f"<script nonce={nonce}") > 1
    assert re.findall(r'<link rel="stylesheet" href="([^"]+)">', head) == ["/static/css/index.css"]
    assert "<script" not in body
    assert "<style" not in page


def answered(html: str, **headers: str) -> HttpResponse:
    answer = ScriptNonces(lambda _: HttpResponse(html, headers=headers))(HttpRequest())
    assert isinstance(answer, HttpResponse)
    return answer


def test_a_policy_of_the_pages_own_gains_the_nonce() -> None:
    html = f"<html><head><script>{FIRST_SCRIPT}</script></head><body></body></html>"
    answer = answered(html, **{"Content-Security-Policy": FRAMING_POLICY, "Content-Length": str(len(html))})
    policy = policy_of(answer)
    assert policy["frame-src"] == {"'self'"}
    [source] = policy["script-src"]
    nonce = source.removeprefix("'nonce-").removesuffix("'")
    assert answer.content.decode() == html.replace("<script>", f"<script nonce={nonce}>")
    assert answer["Content-Length"] == str(len(answer.content))


def test_only_our_own_scripts_get_the_nonce() -> None:
    scripts = (
        "<script>alert(1)</script>",
        f"<script>{FIRST_SCRIPT};alert(1)</script>",
        '<script src="https://elsewhere.example/static/x.js" defer></script>',
        '<script src="//elsewhere.example/x.js" defer></script>',
        '<script src="/part/x" defer></script>',
        '<script type="module" src="/static/x.js"></script>',
    )
    head = "".join(scripts)
    own = f'<script>{FIRST_SCRIPT}</script><script src="/static/js/x.js" defer></script>'
    page = answered(f"<html><head>{own}{head}</head><body>{own}{head}</body></html>").content.decode()
    found, _, body = page.partition("</head>")
    assert found.endswith(head)
    assert found.count(" nonce=") == 2
    # A page's scripts stand in its head: what got into its body is none of them, whatever it looks like.
    assert body == f"<body>{own}{head}</body></html>"
    assert "Content-Security-Policy" not in answered('<p>A fragment</p><script src="/static/js/x.js"></script>')
