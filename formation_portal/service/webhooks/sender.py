"""The sender: posts what is due, until it is told to stop. As many as one likes may run."""

from formation_portal.service.webhooks.clearing import go_round
from formation_portal.service.webhooks.posting import POST_SECONDS
from formation_portal.service.webhooks.sending import send_due
from formation_portal.steady_work import SteadyWork


def sender() -> SteadyWork:
    """One that runs in the caller's thread, or beside it."""
    return SteadyWork(name="events", called="Event sender", work=send_due, hourly=go_round, patience=POST_SECONDS)
