"""The service's interface: all its routes, the answer to what goes wrong in them, its OpenAPI document and its page.

Ninja draws the document from the routes; media types of problems, scopes, headers and 405 are added here.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from formation_portal.service import problems
from formation_portal.service.idempotency import HEADER, PATTERN
from formation_portal.service.parsing import StrictParser
from formation_portal.service.pipeline import REQUEST_ID, scopes_of_operations
from formation_portal.service.problems import MEDIA_TYPE
from formation_portal.service.routes import catalog, csp_data, documents, entities, parties, shares, webhooks

OpenApi = dict[str, Any]

_REQUEST_ID: OpenApi = {
    "description": "The ID that was sent, or a new one; it is in the service's log.",
    "required": True,
    "schema": {"type": "string"},
}
_RETRY_AFTER: OpenApi = {
    "description": "Seconds to wait before retrying.",
    "required": True,
    "schema": {"type": "integer", "minimum": 1},
}
_ALLOWED: OpenApi = {
    "description": "The methods that are allowed here.",
    "required": True,
    "schema": {"type": "string"},
}
_CHALLENGE: OpenApi = {"description": "How to sign a request.", "required": True, "schema": {"type": "string"}}
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


def complete_document(document: OpenApi, *, scopes: dict[str, list[str]]) -> OpenApi:
    """The document, completed in place. `scopes` are those of each operation id; one of them opens it."""
    for methods in document["paths"].values():
        for method, operation in methods.items():
            _describe_request(operation, method)
            _describe_responses(operation)
            operation["security"] = [{"BearerKey": [scope]} for scope in scopes[operation["operationId"]]]
    return document


def _describe_request(operation: OpenApi, method: str) -> None:
    for parameter in operation["parameters"]:
        parameter["schema"] = _without_null(parameter["schema"])
    for content in operation.get("requestBody", {}).get("content", {}).values():
        if "properties" in content["schema"]:
            members = content["schema"]["properties"]
            content["schema"]["properties"] = {name: _without_null(held) for name, held in members.items()}
    if method == "post":
        operation["description"] += _IDEMPOTENCY_KEY


def _without_null(schema: OpenApi) -> OpenApi:
    """A parameter or a form's field can be left out; it can't be null."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"]
    return {**kinds[0], "title": schema.get("title", "")} if len(kinds) == 1 else schema


def _describe_responses(operation: OpenApi) -> None:
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


_DESCRIPTION = (
    "Forms companies and foundations: the catalog with its form schemas, entities, parties, shares and documents. "
    "Send your key as “Authorization: Bearer …”. Errors are application/problem+json (RFC 9457)."
)


class FormationApi(NinjaAPI):
    """The API with a document that says what the routes can't: media types, scopes, headers."""

    def get_openapi_schema(self, **options: object) -> dict[str, object]:  # type: ignore[override]
        """The OpenAPI document."""
        document = super().get_openapi_schema(**options)  # type: ignore[arg-type]
        return complete_document(document, scopes=scopes_of_operations)


def make_api() -> NinjaAPI:
    """The API with all routes."""
    api = FormationApi(
        title="Formation service",
        version="1.0.0",
        description=_DESCRIPTION,
        urls_namespace="service",
        docs_url=None,
        parser=StrictParser(),
    )
    for kind in (Exception, Http404, HttpError, ValidationError, problems.ApiError):
        api.add_exception_handler(kind, problems.error_response)  # type: ignore[arg-type]  # ninja says class, and gives one
    for module in (catalog, entities, csp_data, parties, shares, documents, webhooks):
        api.add_router("", module.router)
    return api


api = make_api()


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
