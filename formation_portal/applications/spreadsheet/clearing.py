"""Sheets whose time is over are deleted by the hourly round, whether or not anybody uploads another."""

from formation_portal.letters.rounds import on_each_round

from .models import PartyImport


@on_each_round
def delete_expired() -> None:
    """Delete what nobody can open any more."""
    PartyImport.objects.expired().delete()
