"""The OpenAPI document as a page to read (`/api/v1/docs`): one entry an operation, and no script."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.service.api import api

OpenApi = dict[str, Any]
# What the template draws of the document: plain members with a few words.
Entry = dict[str, Any]

# Longer lists of words, like that of all currencies, are cut.
_FEW = 12


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Every operation, by subject."""
    document = api.get_openapi_schema()
    groups: dict[str, list[Entry]] = {}
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            groups.setdefault(said["tags"][0], []).append(_operation(document, path, method, said))
    return render(request, "service/docs.html", {"info": document["info"], "groups": groups})


def _operation(document: OpenApi, path: str, method: str, said: OpenApi) -> Entry:
    """One method of one address. A description is in paragraphs, each in pieces: plain, code, plain …"""
    return {
        "id": said["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": said["summary"],
        "paragraphs": [text.split("`") for text in said.get("description", "").split("\n\n")],
        "scopes": [scope for wanted in said["security"] for scope in wanted["BearerKey"]],
        "parameters": [
            {
                "name": one["name"],
                "holds": _type_words(document, one["schema"]),
                "is_required": one["required"],
                "where": one["in"],
            }
            for one in said["parameters"]
        ],
        "bodies": list(_bodies(document, said.get("requestBody", {}))),
        "answers": [(status, HTTPStatus(int(status)).phrase) for status in said["responses"]],
        "is_deprecated": said.get("deprecated", False),
    }


def _bodies(document: OpenApi, request_body: OpenApi) -> Iterator[Entry]:
    """Each form that the request's body may have, with its members in words."""
    for media_type, content in request_body.get("content", {}).items():
        forms = content["schema"].get("oneOf", [content["schema"]])
        for one in forms:
            schema = _resolved(document, one)
            required = schema.get("required", [])
            yield {
                "name": schema["title"] if len(forms) > 1 else "",
                "media_type": media_type,
                "members": [
                    {"name": name, "holds": _type_words(document, held), "is_required": name in required}
                    for name, held in schema.get("properties", {}).items()
                ],
                "is_open": schema.get("additionalProperties") is True,
            }


def _resolved(document: OpenApi, schema: OpenApi) -> OpenApi:
    if "$ref" not in schema:
        return schema
    found: OpenApi = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _type_words(document: OpenApi, schema: OpenApi) -> str:
    """What a schema takes, in words."""
    schema = _resolved(document, schema)
    if "anyOf" in schema:
        return " or ".join(_type_words(document, one) for one in schema["anyOf"])
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        words = [str(word) for word in schema["enum"]]
        return "one of " + ", ".join(words[:_FEW]) + (" …" if len(words) > _FEW else "")
    if schema.get("type") == "array":
        return "list of " + _type_words(document, schema.get("items", {}))
    words = [str(schema.get("type", "anything")), str(schema.get("format", ""))]
    return ", ".join([" ".join(word for word in words if word), *_bounds(schema)])


def _bounds(schema: OpenApi) -> Iterator[str]:
    for key, words in (
        ("minimum", "at least {:,}"),
        ("maximum", "at most {:,}"),
        ("maxLength", "at most {:,} characters"),
    ):
        if key in schema:
            yield words.format(schema[key])
    if schema.get("default") not in (None, ""):
        yield f"else {schema['default']}"
