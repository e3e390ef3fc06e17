"""Where a value may have left a trace: what was logged, asked for, stored, kept in memory, and shown to others."""

import html
import logging
import pickle
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client

from formation_portal.accounts.sessions import SessionStore
from formation_portal.core.monitoring.logs import JsonFormatter
from tests.privacy.stages import database_files

from .identity_canaries import CANARIES, picture_bytes

_LINK = re.compile(r'\s(?:href|src|action|formaction|hx-[a-z-]+)="([^"]*)"')


def _spelled(word: str) -> set[bytes]:
    """How a word may be written, in lower case: plain, in an address, in HTML, without its blanks."""
    return {one.encode() for one in (word, quote(word), quote_plus(word), html.escape(word), word.replace(" ", ""))}


def _packed(word: str) -> set[bytes]:
    """How it may be written in Base64, at each of the three places where it can begin, without the letters that its
    neighbours have a share in."""
    cases = {word, word.capitalize(), word.upper(), word.title()}
    whole = [b64encode(bytes(before) + case.encode()).rstrip(b"=") for case in cases for before in range(3)]
    return {inner for one in whole if len(inner := one[4:-2]) >= 6}


_SPELLED = {word: _spelled(word) for word in CANARIES}
_PACKED = {word: _packed(word) for word in CANARIES}
_PICTURE = picture_bytes()


def found_in(place: str, content: str | bytes) -> Iterator[tuple[str, str]]:
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    lowered = raw.lower()
    for word in CANARIES:
        if any(one in lowered for one in _SPELLED[word]) or any(one in raw for one in _PACKED[word]):
            yield place, word
    if _PICTURE in raw:
        yield place, "the picture"


def found_in_each(kind: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The same for many short ones: each by itself only where anything is in all of them together."""
    each = [*texts]
    if [*found_in(kind, "\n".join(each))]:
        for text in each:
            yield from found_in(f"{kind} {text[:120]}", text)


@contextmanager
def everything_logged() -> Iterator[list[str]]:
    """All that is logged where an operator sets LOG_LEVEL=DEBUG, as both formats write it, with tracebacks."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written = (JsonFormatter().format(record), logging.Formatter().format(record))
            lines.append(f"{written} {record.args}")

    handler, root = Keep(logging.DEBUG), logging.getLogger()
    named = root.manager.loggerDict.items()
    loggers = [
        one for name, one in named if isinstance(one, logging.Logger) and name not in settings.LOGGING["loggers"]
    ]
    loggers.append(root)
    before = [(one, one.level) for one in loggers]
    for one in loggers:
        one.setLevel(logging.DEBUG)
    root.addHandler(handler)
    try:
        yield lines
    finally:
        root.removeHandler(handler)
        for one, level in before:
            one.setLevel(level)


class TracedClient(Client):
    """Keeps what it asks for, where it is led, and to what the pages link; and the pages, by status."""

    def __init__(self, **more: Any) -> None:
        super().__init__(raise_request_exception=False, **more)
        self.addresses: list[str] = []
        self.links: list[str] = []
        self.errors: list[tuple[int, str]] = []

    def request(self, **request: Any) -> Any:
        response = super().request(**request)
        self.addresses.append(f"{request['PATH_INFO']}?{request.get('QUERY_STRING', '')}")
        self.addresses += [
            response.headers[one] for one in ("Location", "HX-Redirect", "HX-Push-Url") if one in response
        ]
        if not response.streaming and response.get("Content-Type", "").startswith("text/html"):
            text = response.content.decode()
            self.links += map(html.unescape, _LINK.findall(text))
            if response.status_code >= 400:
                self.errors.append((response.status_code, text))
        return response


def in_databases() -> Iterator[tuple[str, str]]:
    for number, content in enumerate(database_files()):
        yield from found_in(f"database {number}", content)


def in_folders(*folders: Path) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for path in folder.rglob("*"):
            yield from found_in(f"file {path.name}", path.name)
            if path.is_file() and not path.name.startswith(("default.sqlite3", "service.sqlite3")):
                yield from found_in(f"file {path.relative_to(folder)}", path.read_bytes())


def in_cache() -> Iterator[tuple[str, str]]:
    """In what is counted and kept for all requests; what it pickles is opened."""
    kept: dict[str, bytes] = cache._cache  # type: ignore[attr-defined]
    for name, value in kept.items():
        yield from found_in("cache", f"{name} {pickle.loads(value)!r}")


def in_sessions() -> Iterator[tuple[str, str]]:
    for row in Session.objects.all():
        yield from found_in("session", repr(SessionStore.from_row(row.session_key).items()))


def data_folders() -> tuple[Path, ...]:
    names = ("MEDIA_ROOT", "SERVICE_DOCUMENTS", "FILE_UPLOAD_TEMP_DIR", "DATA_DIR")
    return tuple(Path(getattr(settings, name)) for name in names if Path(getattr(settings, name)).exists())
