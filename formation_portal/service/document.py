"""Completes the OpenAPI document with what ninja doesn't say: media types of problems, scopes, headers, other statuses."""

from typing import Any

from formation_portal.service.idempotency import HEADER, PATTERN
from formation_portal.service.problems import MEDIA_TYPE

Document = dict[str, Any]


def describe(document: Document) -> Document:
    """The document, completed in place."""
    for methods in document["paths"].values():
        for method, operation in methods.items():
            _describe_problems(operation)
            if method == "post":
                operation["parameters"].append(_idempotency_key())
    return document


def _describe_problems(operation: Document) -> None:
    for status, response in operation["responses"].items():
        if int(status) >= 400:
            response["content"] = {MEDIA_TYPE: response["content"]["application/json"]}


def _idempotency_key() -> Document:
    return {
        "in": "header",
        "name": HEADER,
        "required": False,
        "schema": {"type": "string", "pattern": PATTERN},
        "description": "The same key and body answer as the first time, for seven days.",
    }
