"""Adds the right to try out schemas. Whoever has had every right so far has every right again."""

from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

EARLIER = ("review", "decide", "confirm", "export", "audit")
NEW = ("workbench", "try out schemas at the workbench")


def give_permission(apps: StateApps, _editor: Any) -> None:
    # Django makes it only after all migrations; it leaves what it finds.
    users, permissions = apps.get_model("accounts", "User"), apps.get_model("auth", "Permission")
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label="accounts", model="user")
    made, _ = permissions.objects.get_or_create(content_type=kind, codename=NEW[0], defaults={"name": NEW[1]})
    for agent in users.objects.filter(is_agent=True):
        if set(EARLIER) <= set(agent.user_permissions.values_list("codename", flat=True)):
            agent.user_permissions.add(made)


def take_permission(apps: StateApps, _editor: Any) -> None:
    permissions = apps.get_model("auth", "Permission")
    permissions.objects.filter(content_type__app_label="accounts", codename=NEW[0]).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_remove_rights"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": (
                    ("review", "claim cases, check facts, see masked numbers and raise queries"),
                    ("decide", "approve, return and decline"),
                    ("confirm", "confirm another agent’s decision"),
                    ("export", "download records as JSON, PDF and CSV"),
                    ("audit", "read the audit log"),
                    ("workbench", "try out schemas at the workbench"),
                ),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
        migrations.RunPython(give_permission, take_permission),
    ]
