"""The pages as they are, recorded while the code is rebuilt: every page, fragment and e-mail that any test has drawn.

A pytest plugin for as long as the rebuilding lasts. It notes what the test client is answered and what is mailed, each
with address, status and a digest of its mark-up. Class names, comments, white space, random names and the day on
which the tests run are left out of the digest.

    GOLDEN=record python -m pytest -p tests.golden …     write tests/golden.txt.gz: of two runs, what both have drawn
    GOLDEN=compare python -m pytest -p tests.golden …    fail where a page of the record was not drawn any more

`GOLDEN_PAGES=folder` keeps the normalised mark-up there, a file a digest, to look at what differs.
"""

import gzip
import hashlib
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client

RECORD = Path(__file__).parent / "golden.txt.gz"
_MONTH = (
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mär|Mai|Okt|Dez|janv|févr|mars|avr|mai|juin|juil|août"
    r"|sept|oct|nov|déc|ene|abr|ago|dic|enero|febrero|marzo|abril|mayo|junio|julio|agosto)[a-zûé]*\.?"
)
_LEFT_OUT = [
    (re.compile(pattern), put)
    for pattern, put in (
        (r"(?s)<!--.*?-->", ""),
        (r'\sclass="[^"]*"', ""),
        (r'(name="csrfmiddlewaretoken" value=")[^"]*', r"\1"),
        (r"X-CSRFToken&quot;: &quot;\w+", ""),
        (r"FP-[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}", "FP"),
        (r"\.[0-9a-f]{12}\.(css|js|svg|woff2)", r".\1"),
        (r"\b[0-9a-f]{32,64}\b", "HEX"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UUID"),
        (r"\b(ent|pty|cls|shr|doc|evt|key|whk|sub|req)_[0-9A-Za-z]{6,}", r"\1_ID"),
        (r"[A-Za-z0-9_-]{16,}(?::[A-Za-z0-9_-]{6,})+", "SIGNED"),
        (r"\b[0-9a-hjkmnp-tv-z]{10}\b", "TOKEN"),
        (r"delay:\d+s", "delay"),
        (r"\d{10,}", "MOMENT"),
        (r"(name=\"drawn\" id=\"\w+\" value=\")[^\"]*", r"\1"),
        (r"(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{22,}", "RANDOM"),
        (rf"\b\d{{1,2}}\.?(?: |\u00a0)(?:de )?{_MONTH}(?:(?: |\u00a0)(?:de )?\d{{4}})?", "DATE"),
        (rf"\b{_MONTH} \d{{1,2}}, \d{{4}}", "DATE"),
        (r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", "DAY"),
        (r"\b\d{4}-\d{2}-\d{2}\b", "DATE"),
        (r"\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\+\d{2}:\d{2}|Z)?", "TIME"),
        (r"(?:localhost|127\.0\.0\.1|testserver):\d+", "HOST"),
        (r"/tmp/\S+", "PATH"),
        (r"\s+", " "),
        (r"> <", "><"),
    )
]

_seen: Counter[str] = Counter()


def normalised(text: str) -> str:
    """The mark-up without what may differ between two runs, or by a rename."""
    for pattern, put in _LEFT_OUT:
        text = pattern.sub(put, text)
    return text.strip()


def note(what: str, text: str) -> None:
    plain = normalised(text)
    digest = hashlib.sha256(plain.encode()).hexdigest()[:16]
    _seen[f"{normalised(what)} {digest}"] += 1
    if folder := os.environ.get("GOLDEN_PAGES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / digest).write_text(f"{normalised(what)}\n" + plain.replace("><", ">\n<"))


_request, _send = Client.request, EmailBackend.send_messages


def _recorded_request(self: Client, **asked: Any) -> Any:
    answer = _request(self, **asked)
    if answer.get("Content-Type", "").startswith("text/html") and not answer.streaming:
        path = asked.get("PATH_INFO", "").split("?")[0]
        note(f"{asked.get('REQUEST_METHOD', 'GET')} {path} {answer.status_code}", answer.content.decode())
    return answer


def _recorded_messages(self: EmailBackend, messages: Any) -> Any:
    messages = list(messages)
    for message in messages:
        parts = [message.subject, message.body, *(part[0] for part in getattr(message, "alternatives", ()))]
        note("MAIL", "\n".join(str(part) for part in parts))
    return _send(self, messages)


def pytest_configure(config: pytest.Config) -> None:
    Client.request = _recorded_request
    EmailBackend.send_messages = _recorded_messages


def pytest_sessionfinish(session: pytest.Session) -> None:
    folder = Path(os.environ["GOLDEN_PARTS"])
    folder.mkdir(parents=True, exist_ok=True)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "all")
    if worker != "all" or not hasattr(session.config, "workerinput"):
        (folder / worker).write_text("".join(f"{line}\n" for line in sorted(_seen)))


def rendered(folder: Path) -> set[str]:
    return {line for part in folder.iterdir() for line in part.read_text().splitlines()}


def recorded() -> set[str]:
    return set(gzip.decompress(RECORD.read_bytes()).decode().splitlines())
