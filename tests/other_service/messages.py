"""What comes in and what goes out at the other make's door."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass
class Reply:
    """A status and what is said; None says nothing at all."""

    status: int
    body: Any = None
    content_type: str = "application/json"


@dataclass
class Received:
    """One request exactly as it came. `form` and `files` are those of an upload."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: Any = None
    form: dict[str, str] = field(default_factory=dict)
    files: dict[str, tuple[str, str, bytes]] = field(default_factory=dict)  # name: file name, type, bytes


def read_request(method: str, target: str, headers: Mapping[str, str], raw: bytes) -> Received:
    """One request: JSON, a multipart form, or nothing."""
    parts = urlsplit(target)
    found = Received(method, unquote(parts.path), parts.query, headers)
    content_type = headers.get("Content-Type", "")
    if content_type.startswith("multipart/form-data"):
        _read_form(found, content_type.partition("boundary=")[2].strip('"').encode(), raw)
    elif raw:
        found.body = json.loads(raw)
    return found


def _read_form(found: Received, boundary: bytes, raw: bytes) -> None:
    for part in raw.split(b"--" + boundary)[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        content = content.removesuffix(b"\r\n")
        headers = head.decode()
        name = re.search(r'[; ]name="([^"]*)"', headers)
        filename = re.search(r'filename="([^"]*)"', headers)
        kind = re.search(r"(?i)content-type: *(\S+)", headers)
        assert name
        if filename:
            found.files[name[1]] = (filename[1], kind[1] if kind else "", content)
        else:
            found.form[name[1]] = content.decode()
