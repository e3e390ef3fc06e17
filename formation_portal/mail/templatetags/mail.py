"""The filters of the templates of e-mails."""

from datetime import datetime

from django import template
from django.conf import settings

from formation_portal.contract.localisation import long_date
from formation_portal.core.time_zones import zone_words

register = template.Library()


@register.filter
def absolute_url(path: object) -> str:
    text = str(path)
    return text if "://" in text else f"{settings.PORTAL_URL}{text}"


@register.filter(expects_localtime=True)
def moment(value: datetime) -> str:
    """Write a moment like "24 November 2026, 14:02 (Zurich time)"."""
    day = long_date(value.date()).replace("\u00a0", " ")
    return f"{day}, {value:%H:%M} ({zone_words()})"
