"""How others learn of what becomes of an invitation, without this package knowing them."""

from django.dispatch import Signal

# Sent with `draft` and `invitation` inside the saving transaction, once whoever was invited says to be done.
finished = Signal()
