"""Who has changed something, as customers and whom they work with may read it: an agent is never named to them."""

from formation_portal.accounts.models import User


def name_of(who: User | None) -> str:
    """The name of a customer; empty for nobody, for one without a name, and for everybody at the desk."""
    return "" if who is None or who.is_agent else who.get_full_name()
