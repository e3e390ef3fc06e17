"""Explain a command's database error in a line, if a database is away or not set up for this version."""

from django.core.management.base import CommandError
from django.db import connections

from formation_portal.core.background import missing_migrations
from formation_portal.core.nodes.versions import refuse_other_databases
from formation_portal.management.commands.setup_portal import open_databases


def explain() -> str:
    """Name the database that is away or of another version, or ask for the setup. Return "" for any other reason."""
    connections.close_all()
    try:
        open_databases()
        refuse_other_databases()
    except CommandError as error:
        return f"CommandError: {error}"
    if any(missing_migrations(alias) for alias in connections):
        return "CommandError: The databases are not set up for this version. Run setup first: manage.py setup_portal"
    return ""
