"""How we write htmx, so that both its versions read it alike: each element says all of it, and nothing is script."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.template.loader import render_to_string

from tests.markup import Markup

ROOT = Path(__file__).parents[1]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static/js").glob("*.js"))

# All that we use. What isn't here is inherited, filters, is script, stores pages, or means something else in version 4.
VERBS = {"hx-get", "hx-post"}
BESIDE_A_VERB = {
    "hx-target",
    "hx-swap",
    "hx-sync",
    "hx-trigger",
    "hx-push-url",
    "hx-replace-url",
    "hx-include",
    "hx-encoding",
    "hx-select",
}
# Ticks to compare stay ticked while the list beside them is drawn anew.
ANSWERS = {"hx-swap-oob", "hx-preserve"}

_TAG = re.compile(
    r"<(?P<tag>[a-z][\w-]*)(?P<attributes>(?:\{%.*?%\}|\{\{.*?\}\}|\"[^\"]*\"|'[^']*'|[^<>\"'])*)>", re.DOTALL
)
_ATTRIBUTE = re.compile(r"\b(?:data-)?(hx-[\w:.-]+)(?:\s*=\s*\"([^\"]*)\")?")
_COMMENT = re.compile(r"\{% comment %\}.*?\{% endcomment %\}|\{#.*?#\}", re.DOTALL)


@dataclass(frozen=True)
class Tag:
    """A tag of a template with what it tells htmx."""

    path: Path
    name: str
    says: dict[str, str]


def tags() -> Iterator[Tag]:
    for path in TEMPLATES:
        for found in _TAG.finditer(_COMMENT.sub("", path.read_text())):
            says = dict(_ATTRIBUTE.findall(found["attributes"]))
            if says:
                yield Tag(path, found["tag"], says)


TAGS = list(tags())


def test_there_is_something_to_look_at() -> None:
    assert len(TAGS) > 10
    assert {name for tag in TAGS for name in tag.says} >= {"hx-post", "hx-get", "hx-swap-oob", "hx-sync"}


def test_only_attributes_are_used_that_both_versions_know() -> None:
    unknown = {name for tag in TAGS for name in tag.says} - VERBS - BESIDE_A_VERB - ANSWERS
    assert unknown == set()


def test_nothing_is_inherited() -> None:
    """What an element does it says itself: version 4 inherits nothing, version 2 everything."""
    alone = [
        (tag.path.name, tag.name) for tag in TAGS if BESIDE_A_VERB & tag.says.keys() and not VERBS & tag.says.keys()
    ]
    assert alone == []


def test_every_request_says_where_its_answer_goes() -> None:
    silent = [
        (tag.path.name, tag.name)
        for tag in TAGS
        if VERBS & tag.says.keys() and not ("hx-target" in tag.says or tag.says.get("hx-swap") == "none")
    ]
    assert silent == []


def test_no_trigger_filters_and_no_value_is_script() -> None:
    for tag in TAGS:
        assert "[" not in tag.says.get("hx-trigger", ""), tag
        for name, value in tag.says.items():
            assert not re.match(r"\s*(?:js|javascript):", value), (tag, name)


def test_a_form_carries_its_own_token() -> None:
    """A header on the body would stop without a word under version 4."""
    posting = [tag for tag in TAGS if tag.name == "form" and "hx-post" in tag.says]
    for tag in posting:
        assert "{% csrf_token %}" in tag.path.read_text(), tag


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_our_script_runs_no_text_and_writes_no_markup(path: Path) -> None:
    source = path.read_text()
    assert not re.search(r"\beval\(|new Function|\.innerHTML\s*=|insertAdjacentHTML|document\.write", source)
    assert not re.search(r"setTimeout\(\s*[\"'`]", source)
    assert "htmx.config" not in source
    assert "htmx.eval" not in source


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_names_of_htmx_events_stand_in_one_map(path: Path) -> None:
    """Version 4 calls them otherwise, so that a switch must find them in one place."""
    source = path.read_text()
    start = source.find("const EVENT")
    end = source.find("};", start)
    elsewhere = source[:start] + source[end:] if start >= 0 else source
    assert not re.search(r"[\"']htmx:", elsewhere)


def test_the_settings_are_safe() -> None:
    config = json.loads(Markup(render_to_string("base.html")).one("meta", name="htmx-config").attributes["content"])
    safe = {
        "allowEval": False,
        "allowScriptTags": False,
        "includeIndicatorStyles": False,
        "selfRequestsOnly": True,
        "historyCacheSize": 0,
    }
    assert {name: config.get(name) for name in safe} == safe
    assert not {"withCredentials", "globalViewTransitions", "disableInheritance", "inlineScriptNonce"} & config.keys()


def test_the_history_keeps_no_page() -> None:
    """Our pages hold passports: none is stored in the browser, so nothing is boosted, and only filters are pushed."""
    for tag in TAGS:
        assert "hx-boost" not in tag.says, tag
        if "hx-push-url" in tag.says:
            assert "hx-get" in tag.says, tag
