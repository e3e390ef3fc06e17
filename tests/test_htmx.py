"""How we write htmx: nothing in an attribute is script, no page is kept, and a form carries its own token."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static/js").rglob("*.js"))

_TAG = re.compile(
    r"<(?P<tag>[a-z][\w-]*)(?P<attributes>(?:\{%.*?%\}|\{\{.*?\}\}|\"[^\"]*\"|'[^']*'|[^<>\"'])*)>", re.DOTALL
)
_ATTRIBUTE = re.compile(r"\b(?:data-)?(hx-[\w:.-]+)(?:\s*=\s*\"([^\"]*)\")?")
_COMMENT = re.compile(r"\{% comment %\}.*?\{% endcomment %\}|\{#.*?#\}", re.DOTALL)


@dataclass(frozen=True)
class Tag:
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


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_our_script_runs_no_text_and_writes_no_markup(path: Path) -> None:
    source = path.read_text()
    assert not re.search(r"\beval\(|new Function|\.innerHTML\s*=|insertAdjacentHTML|document\.write", source)
    assert not re.search(r"setTimeout\(\s*[\"'`]", source)
    assert "htmx.config" not in source
    assert "htmx.eval" not in source


def test_the_history_keeps_no_page() -> None:
    """Our pages hold passports: none is stored in the browser, so nothing is boosted, and only filters are pushed."""
    for tag in TAGS:
        assert "hx-boost" not in tag.says, tag
        if "hx-push-url" in tag.says:
            assert "hx-get" in tag.says, tag
