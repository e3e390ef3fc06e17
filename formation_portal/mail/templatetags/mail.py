"""The filters of the templates of e-mails."""

from datetime import datetime

from django import template
from django.conf import settings
from django.utils.formats import date_format

from formation_portal.core.time_zones import zone_words

register = template.Library()


@register.filter
def absolute_url(path: object) -> str:
    text = str(path)
    return text if "://" in text else f"{settings.PORTAL_URL}{text}"


@register.filter(expects_localtime=True)
def moment(value: datetime) -> str:
    """Write a moment like "24 November 2026, 14:02 (Zurich time)"."""
    return f"{date_format(value, 'j F Y, H:i')} ({zone_words()})"
