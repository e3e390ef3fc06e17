"""Where the formation service posts its events. Answers say nothing but yes, no, or too large."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_POST

from formation_portal.accounts.policies import signed
from formation_portal.relay.incoming_webhooks.receiver import BODY_LIMIT, receive
from formation_portal.whole_numbers import body_length


@signed
@require_POST
def service_events(request: HttpRequest) -> JsonResponse:
    """Takes one event in. Every refusal looks the same, whatever its reason."""
    if body_length(request.META) > BODY_LIMIT:
        return _said("too_large", 413)
    is_taken = receive(request.body, headers=request.headers, media_type=request.content_type or "")
    return _said("received", 200) if is_taken else _said("unauthorized", 401)


def _said(word: str, status: int) -> JsonResponse:
    return JsonResponse({"status": word}, status=status)
