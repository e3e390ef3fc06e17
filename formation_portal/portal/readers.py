"""What is written for whom."""

from django.conf import settings
from django.http import HttpRequest


def reads_reasons(request: HttpRequest) -> bool:
    """Whether technical reasons are for this reader: an agent, or whoever tries the demo. A customer can't use them."""
    return settings.DEMO or bool(getattr(request.user, "is_agent", False))
