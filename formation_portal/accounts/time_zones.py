"""The time zone of a page: the reader's, in a cookie that static/js/portal.js sets, else the operator's."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from formation_portal.core.time_zones import zone_names

COOKIE = "time_zone"
# htmx sends the zone of its page, so that a part that is swapped in has the same.
HEADER = "Time-Zone"
# Agents see the same times as their colleagues, and days as the queue and the statistics count them.
_OPERATORS_PATHS = ("/api/", "/webhooks/", "/desk/", "/workbench/", "/operator/")


class TimeZones(MiddlewareMixin):
    """Render each page of customers in its reader's time zone. An unknown zone is ignored."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(_OPERATORS_PATHS):
            response: HttpResponseBase = self.get_response(request)
            return response
        zone = request.headers.get(HEADER) or request.COOKIES.get(COOKIE)
        with timezone.override(zone if zone in zone_names() else None):
            response = self.get_response(request)
        patch_vary_headers(response, ("Cookie", HEADER))
        return response
