"""Whoever counts waits for their turn, and keeps it to the end of the transaction.

Each deed adds to rows that others add to as well, and ends with the audit's chain, for which all wait too. A decision
may move an application twice, so that it would come back to the totals when the chain is its own already. So there is
one lock for all totals, and the first move of a transaction takes it, before anything is in the chain: nobody waits in
a circle. Others wait no longer for it than they would for the chain. (SQLite has one writer at a time anyway.)
"""

from .models import Turn

_THE_ONE = 1


def take_turn() -> None:
    """Wait until nobody else counts. One query, and two more the first time of all."""
    if not _locked():
        Turn.objects.bulk_create([Turn(pk=_THE_ONE)], ignore_conflicts=True)
        _locked()


def _locked() -> bool:
    return bool(Turn.objects.select_for_update().filter(pk=_THE_ONE).values_list("pk"))
