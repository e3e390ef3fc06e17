"""The service's interface: its routes, and the answer to everything that goes wrong in them."""

from django.http import Http404
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from formation_portal.service import problems
from formation_portal.service.document import describe
from formation_portal.service.parser import StrictParser
from formation_portal.service.routes import (
    catalog,
    csp_data,
    documents,
    entities,
    parties,
    people,
    share_classes,
    shareholdings,
    webhooks,
)
from formation_portal.service.routing import scopes_of_operations

_DESCRIPTION = (
    "Forms companies and foundations: the catalog with its form schemas, entities, parties, shares and documents. "
    "Send your key as “Authorization: Bearer …”. Errors are application/problem+json (RFC 9457)."
)


class FormationApi(NinjaAPI):
    """The API with a document that says what the routes can't: media types, scopes, headers."""

    def get_openapi_schema(self, **options: object) -> dict[str, object]:  # type: ignore[override]
        """The OpenAPI document."""
        document = super().get_openapi_schema(**options)  # type: ignore[arg-type]
        return describe(document, scopes=scopes_of_operations)


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
    for kind in (Exception, Http404, HttpError, ValidationError, problems.Refusal):
        api.add_exception_handler(kind, problems.answer)  # type: ignore[arg-type]  # ninja says class, and gives one
    for module in (catalog, entities, csp_data, people, parties, share_classes, shareholdings, documents, webhooks):
        api.add_router("", module.router)
    return api


api = make_api()
