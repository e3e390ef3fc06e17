"""What a browser from elsewhere gets in the page itself, and that the content policy knows it, and nothing else."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.finders import find
from django.http import HttpRequest, HttpResponse
from django.test import Client
from pytest_django.fixtures import Settings

from formation_portal.core.pages.content_policy import FIRST_SCRIPT, FRAMING_POLICY
from formation_portal.core.pages.first_visit import FirstVisit
from formation_portal.core.pages.styles import names_in, parse
from formation_portal.core.pages.templates import lean
from formation_portal.core.static_files import SHEETS, bundle_css

ARRIVAL = {"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"}
FROM_ELSEWHERE = ARRIVAL | {"Sec-Fetch-Site": "cross-site"}
_INLINE = re.compile(r"<(style|script)(?: nonce=(\S+?))?>(.*?)</\1>", re.DOTALL)
_LINK = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
_SCRIPT = re.compile(r'<script nonce=\S+ src="([^"]+)" defer></script>')
_PRELOAD = re.compile(r'<link rel="preload" nonce=\S+ as="script" href="([^"]+)"')
_LATER = ('template id="rest"', "noscript")
ROOT = Path(__file__).parents[2]


def hashes(texts: list[str]) -> set[str]:
    return {f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts}


def policy_of(answer: HttpResponse) -> dict[str, set[str]]:
    """The sources that each directive allows."""
    directives = (one.split() for one in answer["Content-Security-Policy"].split(";"))
    return {name: set(sources) for name, *sources in directives}


def assert_policy_fits(answer: HttpResponse) -> list[str]:
    """Exactly what stands in the page is allowed to stand there; gives its style sheets."""
    page = answer.content.decode()
    inline = _INLINE.findall(page)
    styles, scripts = ([text for kind, _, text in inline if kind == one] for one in ("style", "script"))
    policy = policy_of(answer)
    assert policy["style-src"] == {"'self'"} | hashes(styles)
    assert policy["default-src"] == {"'none'"}
    assert len(scripts) == 1
    [nonce] = set(re.findall(r" nonce=([\w-]{22})[ >]", page))
    assert policy["script-src"] == {f"'nonce-{nonce}'"}
    assert page.count("<script") == page.count(f"<script nonce={nonce}")
    return styles


PAGES = ("/privacy/", "/accounts/login/", "/accounts/signup/", "/there-is-no-such-page/", "/help/")


@pytest.mark.django_db
@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize("headers", [ARRIVAL, FROM_ELSEWHERE], ids=["typed", "followed"])
def test_a_browser_from_elsewhere_has_its_styles_in_the_page(address: str, headers: dict[str, str]) -> None:
    answer = Client().get(address, headers=headers)
    page = answer.content.decode()
    (css,) = assert_policy_fits(answer)
    head, _, body = page.partition("</head>")
    assert ".masthead{" in css
    assert f"<style>{css}</style>" in head
    assert _LINK.findall(head) == _SCRIPT.findall(head) == []
    # Sheets and scripts follow where nothing waits for them; without script the sheets alone.
    rest, without_script = (re.search(f"<{one}>(.*?)</{one.split()[0]}>", body)[1] for one in _LATER)
    assert _SCRIPT.findall(rest) == _PRELOAD.findall(head) != []
    assert _LINK.findall(rest) == _LINK.findall(without_script) != []
    assert _LINK.sub("", _SCRIPT.sub("", rest)) == _LINK.sub("", without_script) == ""
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "Sec-Fetch-Site" in answer["Vary"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "headers",
    [{}, ARRIVAL | {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "empty"}],
    ids=["says nothing", "has been here", "script"],
)
def test_other_pages_name_their_sheets_in_the_head(headers: dict[str, str]) -> None:
    answer = Client().get("/privacy/", headers=headers)
    head, _, body = answer.content.decode().partition("</head>")
    assert assert_policy_fits(answer) == []
    assert _LINK.findall(head) == ["/static/css/index.css", "/static/css/more.css"]
    assert _LINK.findall(body) == _SCRIPT.findall(body) == []
    assert _SCRIPT.findall(head)
    assert "Sec-Fetch-Site" in answer["Vary"]


@pytest.mark.django_db
def test_the_operators_colours_stand_in_the_page_too(settings: Settings) -> None:
    settings.OPERATOR_ACCENT = "#7a1f3d"
    answer = Client().get("/privacy/", headers=ARRIVAL)
    (css,) = assert_policy_fits(answer)
    assert "--petrol:light-dark(#7a1f3d" in css
    assert css.index("--petrol:light-dark(#12515b") < css.index("--petrol:light-dark(#7a1f3d")
    assert re.search(r'/operator/[0-9a-f]{12}\.css"></noscript></body>', answer.content.decode())


def answered(html: str, **headers: str) -> HttpResponse:
    request = HttpRequest()
    request.META |= {"HTTP_SEC_FETCH_DEST": "document", "HTTP_SEC_FETCH_SITE": "none"}
    answer = FirstVisit(lambda _: HttpResponse(html, headers=headers))(request)
    assert isinstance(answer, HttpResponse)
    return answer


def test_a_page_with_a_sheet_of_somebody_else_stays_as_it_is() -> None:
    html = '<html><head><link rel="stylesheet" href="/static/service/docs.css"></head><body></body></html>'
    assert answered(html).content.decode() == html


def test_a_policy_of_the_pages_own_gains_nonce_and_hash() -> None:
    script = f"<script>{FIRST_SCRIPT}</script>"
    html = f'<html><head>{script}<link rel="stylesheet" href="/static/css/index.css"></head><body></body></html>'
    answer = answered(html, **{"Content-Security-Policy": FRAMING_POLICY, "Content-Length": str(len(html))})
    policy = policy_of(answer)
    (css,) = assert_policy_fits(answer)
    assert policy["frame-src"] == {"'self'"}
    assert css in answer.content.decode()
    assert answer["Content-Length"] == str(len(answer.content))


@pytest.mark.django_db
def test_each_answer_has_a_nonce_of_its_own_and_no_cache_shares_it() -> None:
    answers = [Client().get("/privacy/", headers=headers) for headers in ({}, {}, ARRIVAL, ARRIVAL)]
    assert len({answer["Content-Security-Policy"] for answer in answers}) == 4
    assert {answer["Cache-Control"] for answer in answers} == {"private"}


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


def test_an_answer_without_a_head_runs_no_script() -> None:
    assert "Content-Security-Policy" not in answered('<p>A fragment</p><script src="/static/js/x.js"></script>')


CSS = (
    "@layer base,components;@layer base{*{margin:0}h1,h2{font-weight:600}@container page (width>=48rem){.a{top:0}"
    ".b .a{top:1px}}}@layer components{.b:hover{left:0}.b[open]>svg{fill:red}.b:not(.c)+.a{right:0}"
    ":is(.a,.c)>p{color:red}.a:has(.c){top:2px}#here,#there{top:3px}.a:is(#there){top:4px}}@media print{.a{top:5px}}"
)


def test_of_a_sheet_the_rules_are_used_that_can_fit() -> None:
    page = '<main class="a d" id="here"><h2>The c is no class</h2><p></main>'
    assert "".join(rule.used(names_in(page)) for rule in parse(CSS)) == (
        "@layer base,components;@layer base{*{margin:0}h2{font-weight:600}@container page (width>=48rem){.a{top:0}}}"
        "@layer components{:is(.a,.c)>p{color:red}#here{top:3px}}"
    )


def test_an_attribute_with_a_value_has_to_stand_in_the_page_and_a_state_does_not() -> None:
    css = '[dir="rtl"] a{top:0}a[href^="mailto"]{top:1px}[hidden]{top:2px}a[title]{top:3px}:is(a[dir="rtl"],p){top:4px}'
    rules = parse(css)
    page = '<a href="/dir=">dir="rtl"</a>'.replace('"rtl"', "&quot;rtl&quot;")
    assert "".join(rule.used(names_in(page)) for rule in rules) == css.replace('[dir="rtl"] a{top:0}', "")
    assert "".join(rule.used(names_in(page.replace("<a", "<a dir='rtl'"))) for rule in rules) == css


def test_of_all_that_a_sheet_has_only_paper_and_pointers_are_left_out() -> None:
    page = '<h1 class="a b c" id="here"></h1><h2 id="there"></h2><p><svg>'
    used = "".join(rule.used(names_in(page)) for rule in parse(CSS))
    assert used == CSS.replace(".b:hover{left:0}", "").replace("@media print{.a{top:5px}}", "")


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_selector_of_ours_asks_for_what_a_page_can_have(sheet: str) -> None:
    found = find(sheet)
    assert isinstance(found, str)
    css = bundle_css(Path(found))
    everything = names_in(
        "".join(f'<{name} class="{name}" id="{name}" {name}="">' for name in set(re.findall(r"[a-z][\w-]*", css)))
    )
    rules = parse(css)
    # Used whole, it is what it was, but for what is left out on purpose.
    used = "".join(rule.used(everything) for rule in rules)
    for found_rule in re.findall(r"([^{}]+)\{[^{}]*\}", css.partition("@media print{")[0]):
        selector = found_rule.rpartition(";")[2]
        if not re.search(r":(hover|active|popover-open)", selector):
            assert selector in used


def test_lean_templates_keep_what_stands_between_words() -> None:
    assert lean('<p\n    class="a">\n\n      one\n      two  three </p>') == '<p\nclass="a">\none\ntwo  three </p>'


def closure(template: str, seen: set[str]) -> set[str]:
    """The template and all that it names, but for the frame, which every page has."""
    path = ROOT / "templates" / template
    if template in seen or not path.exists():
        return seen
    seen.add(template)
    for name in re.findall(r'"((?:[\w-]+/)*[\w-]+\.html)[",]', path.read_text()):
        closure(name, seen)
    return seen


def test_pages_without_the_second_sheet_have_no_class_of_it() -> None:
    """The catalog, forms without files, and what belongs to accounts."""
    without = [path for path in (ROOT / "templates").rglob("*.html") if "{% block more_styles %}{%" in path.read_text()]
    names = {str(path.relative_to(ROOT / "templates")) for path in without} - {"base.html"}
    assert names == {"portal/catalog/catalog.html", "allauth/layouts/base.html", "portal/sections/section.html"}
    assert settings.STATIC_URL == "/static/"
    index, more = (
        set(re.findall(r"\.([a-z][\w-]*)", bundle_css(ROOT / f"static/css/{one}.css"))) for one in ("index", "more")
    )
    accounts = {f"account/{path.name}" for path in (ROOT / "templates/account").glob("*.html")}
    for template in (names - {"portal/sections/section.html"}) | accounts:
        for part in closure(template, set()):
            text = (ROOT / "templates" / part).read_text()
            words = {
                word for found in re.findall(r'class="([^"]*)"', text) for word in re.findall(r"[a-z][\w-]*", found)
            }
            assert not words & (more - index), part
