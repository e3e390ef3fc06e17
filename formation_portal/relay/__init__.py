"""Make the formation service's records match ours, and create no record twice. Start with README.md."""


def drain() -> int:
    """Make every call that can be made now, in this process, and return their number. Tests use it as the worker."""
    # Models can't be imported before all apps are ready, and Django imports this module while it loads the apps.
    from .worker import drain as drained

    return drained()
