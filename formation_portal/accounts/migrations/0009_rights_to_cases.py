"""Adds the rights to open cases and to make API keys.

Until now every agent opened every case with its documents. Whoever works on cases by a right keeps that; agents who
could only read fall under AGENTS_WITHOUT_RIGHTS, and nobody gets the right to make keys but by `manage.py agent_rights`.
"""

from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

WORK_ON_CASES = ("review", "decide", "confirm", "export")
OPEN_CASES = (
    ("own_cases", "open the cases claimed by them, with documents and masked numbers"),
    ("all_cases", "open every case, with documents and masked numbers"),
)
KEYS = ("keys", "make and revoke API keys")
REVIEW, REVIEW_BEFORE = (
    "claim cases, check facts and raise queries",
    "claim cases, check facts, see masked numbers and raise queries",
)


def give_permissions(apps: StateApps, _editor: Any) -> None:
    # Django makes them only after all migrations; it leaves what it finds.
    users, permissions = apps.get_model("accounts", "User"), apps.get_model("auth", "Permission")
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label="accounts", model="user")
    made = [
        permissions.objects.get_or_create(content_type=kind, codename=code, defaults={"name": name})[0]
        for code, name in (*OPEN_CASES, KEYS)
    ]
    permissions.objects.filter(content_type=kind, codename="review").update(name=REVIEW)
    for agent in users.objects.filter(is_agent=True, user_permissions__codename__in=WORK_ON_CASES).distinct():
        agent.user_permissions.add(*made[: len(OPEN_CASES)])


def take_permissions(apps: StateApps, _editor: Any) -> None:
    permissions = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="accounts")
    permissions.filter(codename__in=[code for code, _ in (*OPEN_CASES, KEYS)]).delete()
    permissions.filter(codename="review").update(name=REVIEW_BEFORE)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_sessions_and_guesses"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": (
                    *OPEN_CASES,
                    ("review", REVIEW),
                    ("decide", "approve, return and decline"),
                    ("confirm", "confirm another agent’s decision"),
                    ("export", "download records as JSON, PDF and CSV"),
                    ("audit", "read the audit log"),
                    ("workbench", "try out schemas at the workbench"),
                    KEYS,
                ),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
        migrations.RunPython(give_permissions, take_permissions),
    ]
