"""For the pages of people without an account."""

from django import template
from django.http import HttpRequest

from formation_portal.portal.typed import typed_in
from formation_portal.portal.words import AnswerRow

register = template.Library()


@register.filter
def typed_answers(request: HttpRequest) -> tuple[AnswerRow, ...]:
    """The answers that came with the request, to be read once more where they could not be saved."""
    return typed_in((name, tuple(map(str, values))) for name, values in request.POST.lists())
