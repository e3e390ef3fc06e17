"""Which rules of our style sheets a page uses when it is first seen: those whose elements, classes and ids it has.

A selector that asks for something the page hasn't can't fit anything in it; of an attribute with a value the name is
asked for. States (`:checked`, `[open]`) come and go, and are not looked at; neither are alternatives (`:is(a, b)`,
`:not(…)`). Left out is what is for paper or for what a pointer does: by then the sheets themselves are there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

# An element's name, a class with its dot, an id with its number sign, an attribute with its equals sign; in a selector
# as in `names_in`.
_NAME = re.compile(r"(?<![\w:.#-])[a-z][a-z0-9]*(?![\w=-])|[.#][\w-]+|[a-z-]+=")
_ATTRIBUTE, _VALUED = re.compile(r"\[[^]=]*\]"), re.compile(r"\[([a-z-]+)[~^$*|]?=[^]]*\]")
_LIST = re.compile(r":(not|is|where|has)\(")
_LATER = re.compile(r":(?:hover|active|popover-open)$")
_AROUND_RULES = ("@layer", "@container", "@media", "@supports")
_ELEMENT = re.compile(r"<([a-z][a-z0-9]*)")
_CLASSES, _ID, _VALUES = (
    re.compile(r'\sclass="([^"]*)"'),
    re.compile(r'\sid="([^"]*)"'),
    re.compile(r"\s([a-z-]+=)[\"']"),
)
# What script writes on <html> before anything is drawn.
_BY_SCRIPT = frozenset({".scripted", ".passkeys"})


def names_in(html: str) -> frozenset[str]:
    """The names of all elements, classes, ids and attributes with values: `div`, `.field`, `#saved`, `type=`."""
    elements = set(_ELEMENT.findall(html))
    classes = {f".{name}" for one in set(_CLASSES.findall(html)) for name in one.split()}
    return _BY_SCRIPT.union(elements, classes, set(_VALUES.findall(html)), (f"#{name}" for name in _ID.findall(html)))


@dataclass(frozen=True, slots=True)
class Rule:
    """Declarations with the selectors that share them, each with what it asks for; or rules within an at-rule."""

    prelude: str
    selectors: tuple[tuple[str, frozenset[str]], ...] = ()
    declarations: str = ""
    within: tuple[Self, ...] = ()

    def used(self, names: frozenset[str]) -> str:
        """As much of it as fits a page with these names; maybe nothing."""
        if self.within:
            inside = "".join(rule.used(names) for rule in self.within)
            return f"{self.prelude}{{{inside}}}" if inside else ""
        if not self.selectors:
            return self.prelude + self.declarations
        fitting = ",".join(selector for selector, asked in self.selectors if asked <= names)
        return f"{fitting}{{{self.declarations}}}" if fitting else ""


def parse(css: str) -> tuple[Rule, ...]:
    """The rules of a sheet of ours that is minified: without comments, and without braces in quoted text."""
    return tuple(_rules(css))


def _rules(css: str) -> Iterator[Rule]:
    at = 0
    while at < len(css):
        start = re.compile(r"[{;]|$").search(css, at)
        assert start
        prelude = css[at : start.start()]
        if start[0] != "{":
            if prelude:
                yield Rule(prelude, declarations=";")
            at = start.end() + (not start[0])
            continue
        end = _closing(css, start.end(), "{}")
        inside, at = css[start.end() : end - 1], end
        if prelude == "@media print":
            continue
        if prelude.startswith(_AROUND_RULES):
            if within := parse(inside):
                yield Rule(prelude, within=within)
        elif prelude.startswith("@"):
            yield Rule(prelude, declarations=f"{{{inside}}}")
        else:
            selectors = [one for one in _alternatives(prelude) if not _LATER.search(one)]
            if selectors:
                yield Rule(prelude, tuple((one, _asked(one)) for one in selectors), inside)


def _closing(text: str, at: int, pair: str) -> int:
    """Behind the bracket that closes the one before `at`."""
    depth = 1
    while depth:
        depth += {pair[0]: 1, pair[1]: -1}.get(text[at], 0)
        at += 1
    return at


def _alternatives(selectors: str) -> Iterator[str]:
    """What stands between the commas that are in no brackets."""
    depth, begin = 0, 0
    for at, character in enumerate(selectors):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if character == "," and not depth:
            yield selectors[begin:at]
            begin = at + 1
    yield selectors[begin:]


def _asked(selector: str) -> frozenset[str]:
    """All that the selector can't do without."""
    selector = _ATTRIBUTE.sub("", _VALUED.sub(r" \1=", selector))
    while found := _LIST.search(selector):
        end = _closing(selector, found.end(), "()")
        inside = selector[found.end() : end - 1]
        is_needed = found[1] != "not" and len(list(_alternatives(inside))) == 1
        selector = selector[: found.start()] + (f" {inside}" if is_needed else "") + selector[end:]
    # What is left in brackets counts (`:nth-child(2n)`) or names a language.
    return frozenset(_NAME.findall(re.sub(r"\([^)]*\)", "", selector)))
