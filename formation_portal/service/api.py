"""Put the service's routes together, and show their OpenAPI document as JSON and as a page."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from formation_portal.service.idempotency import HEADER, PATTERN
from formation_portal.service.parsing import StrictParser
from formation_portal.service.pipeline import REQUEST_ID, scopes_of_operations
from formation_portal.service.problems import MEDIA_TYPE, ApiError, error_response
from formation_portal.service.routes import catalog, csp_data, documents, entities, parties, shares, webhooks

OpenApi = dict[str, Any]


def _header(description: str, **schema: Any) -> OpenApi:
    return {"description": description, "required": True, "schema": schema}


_REQUEST_ID = _header("The ID that was sent, or a new one; it is in the service's log.", type="string")
_RETRY_AFTER = _header("Seconds to wait before retrying.", type="integer", minimum=1)
_HEADERS_BY_STATUS = {
    "401": {"WWW-Authenticate": _header("How to sign a request.", type="string")},
    "405": {"Allow": _header("The methods that are allowed here.", type="string")},
    "429": {"Retry-After": _RETRY_AFTER},
    "503": {"Retry-After": _RETRY_AFTER},
}
# Shown as a description, not as a parameter: a schema can't say that a key's validity depends on its earlier use.
_IDEMPOTENCY_KEY = f"""

Accepts `{HEADER}` (`{PATTERN}`): for seven days, the same key with the same body gets the first answer again."""


def _describe_request(operation: OpenApi, method: str) -> None:
    for parameter in operation["parameters"]:
        parameter["schema"] = _without_null(parameter["schema"])
    for content in operation.get("requestBody", {}).get("content", {}).values():
        members = content["schema"].get("properties", {})
        for name, schema in members.items():
            members[name] = _without_null(schema)
    if method == "post":
        operation["description"] += _IDEMPOTENCY_KEY


def _without_null(schema: OpenApi) -> OpenApi:
    """Remove null from the schema of a parameter or form field, which can be left out but not null."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"]
    if len(kinds) != 1:
        return schema
    return {**kinds[0], "title": schema.get("title", "")}


def _describe_responses(operation: OpenApi) -> None:
    responses = operation["responses"]
    problem = responses[500]["content"]["application/json"]
    responses[405] = {"description": "Method Not Allowed", "content": {}}
    for status, response in responses.items():
        if int(status) >= 400:
            response["content"] = {MEDIA_TYPE: problem}
        response["headers"] = {REQUEST_ID: _REQUEST_ID, **_HEADERS_BY_STATUS.get(str(status), {})}
    operation["responses"] = {str(status): responses[status] for status in sorted(responses, key=int)}


_DESCRIPTION = (
    "Forms companies and foundations: the catalog with its form schemas, entities, parties, shares and documents. "
    "Send your key as “Authorization: Bearer …”. Errors are application/problem+json (RFC 9457)."
)


class FormationApi(NinjaAPI):
    """ninja's API, with the media type of problems, scopes and headers added to the OpenAPI document."""

    def get_openapi_schema(self, **options: object) -> OpenApi:  # type: ignore[override]
        document: OpenApi = super().get_openapi_schema(**options)  # type: ignore[arg-type]
        for methods in document["paths"].values():
            for method, operation in methods.items():
                _describe_request(operation, method)
                _describe_responses(operation)
                # A key needs only one of the scopes for the operation.
                scopes = scopes_of_operations[operation["operationId"]]
                operation["security"] = [{"BearerKey": [scope]} for scope in scopes]
        return document


api = FormationApi(
    title="Formation service",
    version="1.0.0",
    description=_DESCRIPTION,
    urls_namespace="service",
    docs_url=None,
    parser=StrictParser(),
)
for kind in (Exception, Http404, HttpError, ValidationError, ApiError):
    api.add_exception_handler(kind, error_response)  # type: ignore[arg-type]  # ninja's annotation names the class
for module in (catalog, entities, csp_data, parties, shares, documents, webhooks):
    api.add_router("", module.router)


# The longest list of options that is shown in full.
_MAX_OPTIONS = 12


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Show every operation, grouped by tag."""
    document = api.get_openapi_schema()
    groups: dict[str, list[OpenApi]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for parameter in operation["parameters"]:
                parameter["type"] = _type_words(document, parameter["schema"])
            operation["method"] = method.upper()
            operation["path"] = path
            # The parts are plain text and code in turn.
            operation["paragraphs"] = [text.split("`") for text in operation["description"].split("\n\n")]
            operation["scopes"] = [requirement["BearerKey"][0] for requirement in operation["security"]]
            operation["bodies"] = list(_bodies(document, operation.get("requestBody", {})))
            operation["answers"] = [(status, HTTPStatus(int(status)).phrase) for status in operation["responses"]]
            groups.setdefault(operation["tags"][0], []).append(operation)
    return render(request, "service/docs.html", {"info": document["info"], "groups": groups})


def _bodies(document: OpenApi, request_body: OpenApi) -> Iterator[OpenApi]:
    for media_type, content in request_body.get("content", {}).items():
        variants = content["schema"].get("oneOf", [content["schema"]])
        for variant in variants:
            schema = _resolved(document, variant)
            members = []
            for name, member in schema.get("properties", {}).items():
                members.append((name, _type_words(document, member), name in schema.get("required", [])))
            yield {
                "name": schema["title"] if len(variants) > 1 else "",
                "media_type": media_type,
                "members": members,
                "is_open": schema.get("additionalProperties") is True,
            }


def _resolved(document: OpenApi, schema: OpenApi) -> OpenApi:
    if "$ref" not in schema:
        return schema
    component: OpenApi = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return component


_LIMITS_IN_WORDS = {
    "format": " {}",
    "minimum": ", at least {:,}",
    "maximum": ", at most {:,}",
    "maxLength": ", at most {:,} characters",
}


def _type_words(document: OpenApi, schema: OpenApi) -> str:
    """Describe the values of a schema in words."""
    schema = _resolved(document, schema)
    if "anyOf" in schema:
        return " or ".join(_type_words(document, variant) for variant in schema["anyOf"])
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        options = [str(option) for option in schema["enum"]]
        more = " …" if len(options) > _MAX_OPTIONS else ""
        return "one of " + ", ".join(options[:_MAX_OPTIONS]) + more
    if schema.get("type") == "array":
        return "list of " + _type_words(document, schema.get("items", {}))
    description = str(schema.get("type", "anything"))
    for member, template in _LIMITS_IN_WORDS.items():
        if member in schema:
            description += template.format(schema[member])
    if schema.get("default") not in (None, ""):
        description += f", else {schema['default']}"
    return description
