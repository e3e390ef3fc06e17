"""The stored pages, and the pages of this run beside them."""

import os
import re
import shutil
from difflib import unified_diff
from pathlib import Path
from typing import Any

from tests.golden.markup_lines import Volatile, difference, lines_of, parts_of

FOLDER = Path(__file__).with_name("pages")
_MOST_PAGES, _MOST_LINES = 3, 60


class Album:
    """The answers of one group of requests, to be compared with those that are stored."""

    def __init__(self, group: str, volatile: Volatile) -> None:
        self.group = group
        self.volatile = volatile
        self.texts: dict[str, str] = {}
        self._frames: dict[str, tuple[list[str], list[str]]] = {}
        self._others: list[str] = []

    def add(self, name: str, response: Any, *, who: str) -> None:
        """Take an answer. One without a page is a line in a file of such answers."""
        response.body = b"".join(response)
        is_page = response.get("Content-Type", "").startswith("text/html") and response.body
        head = self.volatile.replace(f"{name}: {response.status_code} {_headers(response)}".strip())
        if not is_page:
            self._others.append(head)
            return
        name = re.sub(r"[^\w.-]+", "_", name)
        assert name not in self.texts, name
        self.texts[name] = "\n".join([head, *self._page(response.body.decode(), who), ""])

    def add_html(self, name: str, html: str) -> None:
        """Take a page that no address answers with."""
        self.texts[name] = "\n".join([name, *lines_of(self.volatile.replace(html)), ""])

    def check(self) -> None:
        """Fail with what differs from the stored answers; store them where GOLDEN=write."""
        self.texts["_other_answers"] = "\n".join([*self._others, ""])
        for who, (before, after) in self._frames.items():
            self.texts[f"_frame_{who}"] = "\n".join([*before, "…", *after, ""])
        if os.environ.get("GOLDEN") == "write":
            self._write()
            return
        stored = {path.stem: path.read_text() for path in (FOLDER / self.group).glob("*.txt")}
        changed = sorted(name for name in stored.keys() | self.texts.keys() if stored.get(name) != self.texts.get(name))
        shown = [self._diff(name, stored.get(name, "")) for name in changed[:_MOST_PAGES]]
        assert not changed, f"{len(changed)} of {len(self.texts)} differ: {', '.join(changed)}\n" + "\n".join(shown)

    def _page(self, html: str, who: str) -> list[str]:
        before, main, after = parts_of(lines_of(self.volatile.replace(html)))
        if not before:
            return main
        frame = self._frames.setdefault(who, (before, after))
        return [*difference(frame[0], before), *main, *difference(frame[1], after)]

    def _diff(self, name: str, stored: str) -> str:
        path = f"{self.group}/{name}"
        lines = list(
            unified_diff(stored.splitlines(), self.texts.get(name, "").splitlines(), path, path, lineterm="", n=2)
        )
        more = [f"({len(lines) - _MOST_LINES} more lines)"] if len(lines) > _MOST_LINES else []
        return "\n".join([*lines[:_MOST_LINES], *more])

    def _write(self) -> None:
        folder = FOLDER / self.group
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, text in self.texts.items():
            (folder / f"{name}.txt").write_text(text)


def _headers(response: Any) -> str:
    """Return the headers by which an answer leads on."""
    names = ("Location", "HX-Redirect", "HX-Retarget", "HX-Reswap", "HX-Push-Url", "HX-Replace-Url", "Unsaved")
    written = [f"{name}={response[name]}" for name in names if name in response]
    content_type = response.get("Content-Type", "")
    if not content_type.startswith("text/html"):
        written.append(content_type)
    return " ".join(written)
