"""How others learn what a review has sent, without this package knowing them."""

from django.dispatch import Signal

# Sent with `draft`, `remarks` (those that went out) and `by` inside the transaction that returned the application.
sent = Signal()

# Sent with `draft` and `by` inside the transaction of whatever an agent has done in a review, but for confirming or
# refusing what a colleague has proposed.
worked = Signal()

# Sent with `draft`, `ruling` and `by` inside the transaction in which a second agent refuses what a colleague has
# proposed.
proposal_refused = Signal()

# Sent with `draft` when somebody asks what speaks against an approval, on a page and inside the transaction of the
# approval itself. A receiver answers with a tuple of Objections.
approving = Signal()
