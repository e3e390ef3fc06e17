"""What became at the service of what was saved here, as pages ask for it."""

from collections.abc import Iterable

from formation_portal.applications.models import Application


class Arrivals:
    """How far each thing of one application has come."""

    def refused(self, kinds: Iterable[str], token: str | None = None) -> dict[str, str]:
        """The service's words against the answers of a holder, by field name."""
        return {}

    def state(self, kinds: Iterable[str], token: str | None = None) -> str:
        """The furthest behind of several things, as components/delivery.html names it."""
        return "saved"


def arrivals(application: Application) -> Arrivals:
    """One query."""
    return Arrivals()


def give_it_a_moment(application: Application) -> None:
    """Wait a little for the service, so that a refusal can show at its field at once."""


def wake(application: Application) -> None:
    """Have it sent, without waiting."""
