"""Ends all sessions: their rows have the session's key, and what they hold is not bound to the row."""

from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps


def end_sessions(apps: StateApps, schema_editor: Any) -> None:
    for name in (("sessions", "Session"), ("usersessions", "UserSession")):
        apps.get_model(*name)._base_manager.using(schema_editor.connection.alias).all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_right_to_erase"),
        ("sessions", "0001_initial"),
        ("usersessions", "0001_initial"),
    ]

    operations = [migrations.RunPython(end_sessions, end_sessions)]
