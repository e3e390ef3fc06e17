"""Wapiti's own command, which crawls each kind of page once; run by the Python that wapiti is installed for.

By itself it takes a form for another wherever its token is another, and the same page of two people for two: thousands
of requests that run the same code. Here pages count as the same where their addresses differ in references, numbers
and keys alone, and where they take the same names.
"""

import re
import sys
from collections import Counter
from importlib import import_module
from typing import Any

# References of applications, keys of what is in them, numbers; and what catalog, help and gallery have many of.
_VARYING = re.compile(
    r"FP-[0-9A-Z-]+|\b(?=[a-z]*\d)[0-9a-z]{10,11}\b|\d+|(?<=/products/)[^/]+|(?<=/help/)[^/]+|(?<=/gallery/)\w+/[^/]+"
)
# How often. Pages come in variants under the same names, like that of a person and of a company; their forms do not.
_MOST = {"GET": 2, "POST": 1}


def kind_of(method: str, path: str, names: list[str]) -> tuple[str, str, tuple[str, ...]]:
    """What pages that count as the same have in common."""
    return method, _VARYING.sub("*", path), tuple(sorted({_VARYING.sub("*", name) for name in names}))


def crawl_each_kind_once() -> None:
    """Have the scanner ask this before it opens a page."""
    seen: Counter[tuple[str, str, tuple[str, ...]]] = Counter()

    def has_had_enough(_: object, request: Any) -> bool:
        sent = request.post_params if isinstance(request.post_params, list) else []
        names = [name for name, *_ in (*request.get_params, *sent, *request.file_params)]
        kind = kind_of(request.method, request.path, names)
        seen[kind] += 1
        return seen[kind] > _MOST.get(request.method, 1)

    import_module("wapitiCore.net.explorer").Explorer.has_too_many_parameters = has_had_enough


if __name__ == "__main__":
    crawl_each_kind_once()
    sys.exit(import_module("wapitiCore.main.wapiti").wapiti_asyncio_wrapper())
