"""Makes each agent's rights permissions of Django's, and back. A customer had all of them, and they meant nothing."""

from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

RIGHTS = (
    ("review", "claim cases, check facts, see masked numbers and raise queries"),
    ("decide", "approve, return and decline"),
    ("confirm", "confirm another agent’s decision"),
    ("export", "download records as JSON, PDF and CSV"),
    ("audit", "read the audit log"),
)


def give_permissions(apps: StateApps, _editor: Any) -> None:
    # Django makes both only after all migrations; it leaves those that it finds.
    users, permissions = apps.get_model("accounts", "User"), apps.get_model("auth", "Permission")
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label="accounts", model="user")
    made = {
        code: permissions.objects.get_or_create(content_type=kind, codename=code, defaults={"name": name})[0]
        for code, name in RIGHTS
    }
    for agent in users.objects.filter(is_agent=True):
        has = [made[code] for code in made if code in agent.rights]
        agent.user_permissions.add(*has)
        if agent.is_superuser and len(has) < len(made):
            # A superuser has every permission; this one does not have every right.
            users.objects.filter(pk=agent.pk).update(is_superuser=False)


def take_permissions(apps: StateApps, _editor: Any) -> None:
    users, permissions = apps.get_model("accounts", "User"), apps.get_model("auth", "Permission")
    codes = [code for code, _ in RIGHTS]
    ours = permissions.objects.filter(content_type__app_label="accounts", codename__in=codes)
    for agent in users.objects.filter(is_agent=True):
        has = codes if agent.is_superuser else set(agent.user_permissions.values_list("codename", flat=True))
        users.objects.filter(pk=agent.pk).update(rights=[code for code in codes if code in has])
    ours.delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_one_address"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={"permissions": RIGHTS, "verbose_name": "user", "verbose_name_plural": "users"},
        ),
        migrations.RunPython(give_permissions, take_permissions),
    ]
