"""What every page says about the end of the session."""

from typing import Any

from django import template

from formation_portal.portal.session_page import SessionEnd, session_end

register = template.Library()


@register.simple_tag(takes_context=True)
def when_session_ends(context: dict[str, Any]) -> SessionEnd | None:
    """The end of the session; None where there is none, as on pages that are drawn without a request."""
    request = context.get("request")
    return session_end(request) if request is not None and hasattr(request, "session") else None
