"""Brings the formation service's record to match ours, and creates nothing twice.

It imports contract, gateway and applications; never portal or desk. Saving brings the rows of deliveries up to date
(`sync`), only the worker writes to the service (`worker`), and pages read how far things have come (`delivery_status`)
or wait a moment for the worker (`wake`).
"""


def drain() -> int:
    """Make every call that can be made now, in this process; how many were made. Tests call it for the worker."""
    # Models can't be imported before all apps are ready, and this module is imported to find the app.
    from .worker import drain as drained

    return drained()
