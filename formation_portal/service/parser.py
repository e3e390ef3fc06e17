"""Reads JSON bodies strictly: UTF-8, no NaN, nothing that no database or other reader could hold."""

import json
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser


class StrictParser(Parser):
    """ninja's parser with a stricter reading; what it raises is answered with 400."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """The body as JSON; raises ValueError or RecursionError."""
        body: dict[str, Any] = json.loads(request.body.decode("utf-8"), parse_constant=_refuse)
        # An escaped half of a surrogate pair is valid JSON by the letter, and no text.
        json.dumps(body, ensure_ascii=False).encode("utf-8")
        return body


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
