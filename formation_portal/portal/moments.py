"""Times and sizes as people read them."""

from datetime import date, datetime

from django.utils import timezone


def day(value: date) -> str:
    """24 November 2026, with no-break spaces."""
    return f"{value.day}\u00a0{value:%B}\u00a0{value.year}"


def moment(value: datetime) -> str:
    """14:02 where it was today, else the day."""
    local = timezone.localtime(value)
    return f"{local:%H:%M}" if local.date() == timezone.localdate() else f"on {day(local.date())}"


def size(octets: int) -> str:
    """240 kB, 1.4 MB; kB is 1,000 bytes."""
    if octets < 1_000_000:
        return f"{max(1, round(octets / 1_000))}\u00a0kB"
    return f"{octets / 1_000_000:.1f}\u00a0MB"
