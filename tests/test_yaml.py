"""Every YAML file of the project reads the same everywhere: by libyaml, by PyYAML without it, and by YAML 1.2."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from formation_portal.service.catalog import loader
from tests.needed import needed

PROJECT = Path(__file__).resolve().parent.parent
FILES = sorted(
    path.relative_to(PROJECT) for folder in ("formation_portal", "tests") for path in (PROJECT / folder).rglob("*.yaml")
)
HAS_LIBYAML = hasattr(yaml, "CSafeLoader")

# Marks that mean something within brackets, wherever they stand in a word (YAML 1.2, "Plain Style").
_MARKS_IN_FLOW = re.compile(r"[?\[\]{},]|[:#]")
# What YAML 1.1 takes for something else than text, and 1.2 for text, or the other way round.
_ONLY_IN_ONE = re.compile(
    r"(?i:yes|no|on|off|y|n)|=|<<|~|0[0-9_]+|0b[01_]+|0o[0-7]+|[-+]?\d[\d_]*(:[0-5]?\d)+|[-+]?\d+_[\d_]*"
)


def text_of(path: Path) -> str:
    return (PROJECT / path).read_text("utf-8")


def odd_words(text: str) -> Iterator[str]:
    """Scalars without quotes that some reader takes otherwise."""
    brackets: list[bool] = []
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionStartEvent):
            brackets.append(bool(event.flow_style))
        elif isinstance(event, yaml.CollectionEndEvent):
            brackets.pop()
        elif isinstance(event, yaml.ScalarEvent) and not event.style and _is_odd(event.value, in_flow=any(brackets)):
            yield f"line {event.start_mark.line + 1}: {event.value}"


def _is_odd(word: str, *, in_flow: bool) -> bool:
    return bool((in_flow and _MARKS_IN_FLOW.search(word)) or _ONLY_IN_ONE.fullmatch(word))


def repeated_keys(node: Any) -> Iterator[str]:
    """Keys that stand twice in one mapping: readers differ in which they take."""
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        yield from {key for key in keys if keys.count(key) > 1}
        for _, value in node.value:
            yield from repeated_keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from repeated_keys(value)


@cache
def pure(path: Path) -> Any:
    return yaml.load(text_of(path), Loader=yaml.SafeLoader)  # the safe one, in Python


def test_there_are_files_to_read() -> None:
    assert sum("catalog/products" in str(path) for path in FILES) >= 32


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_file_is_portable_yaml(path: Path) -> None:
    assert list(odd_words(text_of(path))) == []
    assert list(repeated_keys(yaml.compose(text_of(path), Loader=yaml.SafeLoader))) == []
    assert "\t" not in text_of(path)


@needed("libyaml", HAS_LIBYAML)
@pytest.mark.parametrize("path", FILES, ids=str)
def test_both_loaders_read_a_file_alike(path: Path) -> None:
    assert yaml.load(text_of(path), Loader=yaml.CSafeLoader) == pure(path)  # the safe one, in C


def test_the_catalog_is_the_same_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = loader.read_catalog()
    monkeypatch.setattr(loader, "SafeLoader", yaml.SafeLoader)
    assert loader.read_catalog() == usual


@needed("libyaml", HAS_LIBYAML)
@pytest.mark.parametrize(
    "text", ["a: {label: Is it listed?, type: text}", "a: [no, yes]", "country: NO", "at: 12:30", "n: 0777", "1_000: a"]
)
def test_what_is_not_portable_is_told(text: str) -> None:
    assert list(odd_words(text))


def test_a_key_that_stands_twice_is_told() -> None:
    assert list(repeated_keys(yaml.compose("a: {b: 1, b: 2}", Loader=yaml.SafeLoader))) == ["b"]
