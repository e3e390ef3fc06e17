"""How a route is declared: method, path, scope, what it gives, what it may refuse. One place for what all share."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial, wraps
from typing import Any, TypeVar

from django.http.response import HttpResponseBase
from ninja import Router
from ninja.decorators import decorate_view
from ninja.responses import Status

from formation_portal.service.auth import BearerKey
from formation_portal.service.pipeline import JSON, ServiceView, guard
from formation_portal.service.schemas.base import Problem

Function = TypeVar("Function", bound=Callable[..., Any])

# Which scopes open which operation; the OpenAPI document shows them.
scopes_of_operations: dict[str, list[str]] = {}

# What any call may be refused for, whatever it does.
_ALWAYS = (401, 403, 429, 500, 503)


@dataclass(frozen=True, slots=True)
class Deprecation:
    """A route that will go (supplement, "Versions"): since when it is deprecated, and when it is switched off."""

    deprecated: datetime
    sunset: datetime
    link: str = ""

    def headers(self) -> dict[str, str]:
        """`Deprecation` as RFC 9745 has it, `Sunset` as RFC 8594 has it."""
        return {
            "Deprecation": f"@{int(self.deprecated.timestamp())}",
            "Sunset": format_datetime(self.sunset.astimezone(UTC), usegmt=True),
        } | ({"Link": f'<{self.link}>; rel="deprecation"'} if self.link else {})


def route(
    router: Router,
    method: str,
    path: str,
    *,
    scopes: str | tuple[str, ...],
    gives: Any,
    status: int = 200,
    takes: str | None = None,
    refuses: tuple[int, ...] = (),
    deprecation: Deprecation | None = None,
    extra: dict[str, Any] | None = None,
) -> Callable[[Function], Function]:
    """Declares a route. `takes` is the media type of its body; a body brings its own refusals with it."""
    wanted = (scopes,) if isinstance(scopes, str) else scopes
    of_body = (400, 413, 415, 422) if takes else (400, 413, 422) if method == "POST" else ()
    of_path = (404,) if "{" in path else ()
    of_repeat = (409,) if method == "POST" else ()
    problems = frozenset({*_ALWAYS, *of_body, *of_path, *of_repeat, *refuses})

    def declare(view: Function) -> Function:
        decorators: list[Callable[[ServiceView], ServiceView]] = [partial(guard, scopes=wanted, takes=takes)]
        if deprecation:
            decorators.append(partial(_with_deprecation, deprecation=deprecation))
        scopes_of_operations[view.__name__] = list(wanted)
        answering = _with_status(view, status)
        decorate_view(*decorators)(answering)
        router.api_operation(
            [method],
            path,
            auth=BearerKey(),
            response={status: gives, problems: Problem},
            operation_id=view.__name__,
            summary=view.__name__.replace("_", " ").capitalize(),
            deprecated=True if deprecation else None,
            by_alias=True,
            openapi_extra=extra,
        )(answering)
        return view

    return declare


def _with_status(view: Callable[..., Any], status: int) -> Callable[..., Any]:
    """The view, saying with which of the declared statuses it succeeded."""

    @wraps(view)
    def answer(*args: Any, **kwargs: Any) -> Any:
        result = view(*args, **kwargs)
        return result if isinstance(result, HttpResponseBase) else Status(status, result)

    return answer


def _with_deprecation(run: ServiceView, *, deprecation: Deprecation) -> ServiceView:
    def answer(*args: Any, **kwargs: Any) -> HttpResponseBase:
        response = run(*args, **kwargs)
        for name, value in deprecation.headers().items():
            response[name] = value
        return response

    return answer


__all__ = ["JSON", "Deprecation", "route"]
