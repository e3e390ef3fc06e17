"""Completes the OpenAPI document with what ninja can't know: media types of problems, scopes, headers, 405."""

from typing import Any

from formation_portal.service.door import REQUEST_ID
from formation_portal.service.idempotency import HEADER, PATTERN
from formation_portal.service.problems import MEDIA_TYPE

Document = dict[str, Any]

_REQUEST_ID: Document = {
    "description": "The ID that was sent, or a new one; it is in the service's log.",
    "required": True,
    "schema": {"type": "string"},
}
_RETRY_AFTER: Document = {
    "description": "Seconds to wait before retrying.",
    "required": True,
    "schema": {"type": "integer", "minimum": 1},
}
_ALLOWED: Document = {
    "description": "The methods that are allowed here.",
    "required": True,
    "schema": {"type": "string"},
}
_CHALLENGE: Document = {"description": "How to sign a request.", "required": True, "schema": {"type": "string"}}
_HEADERS_OF = {
    "401": {"WWW-Authenticate": _CHALLENGE},
    "405": {"Allow": _ALLOWED},
    "429": {"Retry-After": _RETRY_AFTER},
    "503": {"Retry-After": _RETRY_AFTER},
}
# Told in words, not as a parameter: which keys are acceptable depends on what they were used for before, and a
# parameter's schema can't say that.
_IDEMPOTENCY_KEY = f"""

Accepts `{HEADER}` (`{PATTERN}`): for seven days, the same key with the same body gets the first answer again."""


def describe(document: Document, *, scopes: dict[str, list[str]]) -> Document:
    """The document, completed in place. `scopes` are those of each operation id; one of them opens it."""
    for methods in document["paths"].values():
        for method, operation in methods.items():
            _describe_request(operation, method)
            _describe_responses(operation)
            operation["security"] = [{"BearerKey": [scope]} for scope in scopes[operation["operationId"]]]
    return document


def _describe_request(operation: Document, method: str) -> None:
    for parameter in operation["parameters"]:
        parameter["schema"] = _without_null(parameter["schema"])
    for content in operation.get("requestBody", {}).get("content", {}).values():
        if "properties" in content["schema"]:
            members = content["schema"]["properties"]
            content["schema"]["properties"] = {name: _without_null(held) for name, held in members.items()}
    if method == "post":
        operation["description"] += _IDEMPOTENCY_KEY


def _without_null(schema: Document) -> Document:
    """A parameter or a form's field can be left out; it can't be null."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"]
    return {**kinds[0], "title": schema.get("title", "")} if len(kinds) == 1 else schema


def _describe_responses(operation: Document) -> None:
    responses = operation["responses"]
    problem = next(
        response["content"]["application/json"] for status, response in responses.items() if int(status) >= 400
    )
    responses[405] = {"description": "Method Not Allowed", "content": {}}
    for status, response in responses.items():
        if int(status) >= 400:
            response["content"] = {MEDIA_TYPE: problem}
        response["headers"] = {REQUEST_ID: _REQUEST_ID, **_HEADERS_OF.get(str(status), {})}
    operation["responses"] = {str(status): responses[status] for status in sorted(responses, key=int)}
