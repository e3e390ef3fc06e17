"""How others learn that an application has changed, without this package knowing them."""

from django.dispatch import Signal

# Sent with `draft` inside the saving transaction, after the change: what listens commits or rolls back with it.
changed = Signal()

# Sent with `draft` before an application is submitted. A receiver returns the needs that speak against it.
submitting = Signal()

# Sent with `draft` of an application that came back. A receiver returns the Locks (locks.py) on what was accepted.
locking = Signal()

# Sent with `draft` and `by` (None: the service) inside the saving transaction, after a deed has moved the application
# to another state.
moved = Signal()
