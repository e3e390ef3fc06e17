"""Wapiti's own command, which crawls each kind of page once; run by the Python that wapiti is installed for.

By itself it takes a form for another wherever its token is another, and the same page of two people for two: thousands
of requests that run the same code. Here pages count as the same where their addresses differ in references, numbers
and keys alone, and where they take the same names; and forms where they take most of the same names, since each answer
brings other questions.
"""

import re
import sys
from collections import defaultdict
from copy import copy
from importlib import import_module
from typing import Any

# References of applications, keys of what is in them, numbers; and what catalog, help and gallery have many of.
_VARYING = re.compile(
    r"FP-[0-9A-Z-]+|\b(?=[a-z]*\d)[0-9a-z]{10,11}\b|\d+|(?<=/products/)[^/]+|(?<=/help/)[^/]+|(?<=/gallery/)\w+/[^/]+"
)
# How often a page is opened. They come in variants under the same names, like that of a person and of a company.
_PAGES_ALIKE = 2
# Forms are the same from this share of common names on.
_NAMES_ALIKE = 0.6


def kind_of(method: str, path: str) -> tuple[str, str]:
    """What the addresses of one kind have in common."""
    return method, _VARYING.sub("*", path)


def is_repeated(method: str, names: frozenset[str], before: list[frozenset[str]]) -> bool:
    """Whether as much as this was opened or sent before, at addresses of the same kind."""
    if method != "POST":
        return before.count(names) >= _PAGES_ALIKE
    return any(len(names & other) >= _NAMES_ALIKE * len(names | other) for other in before)


def crawl_each_kind_once() -> None:
    """Have the scanner ask this before it opens a page."""
    seen: defaultdict[tuple[str, str], list[frozenset[str]]] = defaultdict(list)

    def has_had_enough(_: object, request: Any) -> bool:
        sent = request.post_params if isinstance(request.post_params, list) else []
        given = (*request.get_params, *sent, *request.file_params)
        names = frozenset(_VARYING.sub("*", name) for name, *_ in given)
        before = seen[kind_of(request.method, request.path)]
        if is_repeated(request.method, names, before):
            return True
        before.append(names)
        return False

    import_module("wapitiCore.net.explorer").Explorer.has_too_many_parameters = has_had_enough


def first_of_each_name(given: list[list[Any]]) -> list[list[Any]]:
    """A form's boxes under one name are one question: the first that stands there."""
    first: dict[str, list[Any]] = {}
    for one in given:
        first.setdefault(one[0], one)
    return [*first.values()]


def attack_each_name_once() -> None:
    """Have the scanner put its words once in the place of a name, however often a form has it."""
    mutator = import_module("wapitiCore.attack.attack").Mutator
    mutate = mutator._mutate_urlencoded_multipart

    def mutate_once(self: Any, request: Any, payloads: Any) -> Any:
        once = copy(request)
        if isinstance(request.post_params, list):
            once._post_params = first_of_each_name(request.post_params)
        return mutate(self, once, payloads)

    mutator._mutate_urlencoded_multipart = mutate_once


if __name__ == "__main__":
    crawl_each_kind_once()
    attack_each_name_once()
    sys.exit(import_module("wapitiCore.main.wapiti").wapiti_asyncio_wrapper())
