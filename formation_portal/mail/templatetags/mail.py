"""The filters of the templates of e-mails."""

from django import template
from django.conf import settings

register = template.Library()


@register.filter
def absolute_url(path: object) -> str:
    text = str(path)
    return text if "://" in text else f"{settings.PORTAL_URL}{text}"
