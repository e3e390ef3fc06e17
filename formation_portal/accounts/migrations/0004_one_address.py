"""Leaves each account one e-mail address: its main one, unless only another one is confirmed.

Whoever had signed up with somebody else's address, and confirmed one of their own, keeps an account of their own; the
owner of the first address is free to sign up with it.
"""

from itertools import groupby
from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps
from django.db.models import Count


def leave_one(apps: StateApps, _editor: Any) -> None:
    users, addresses = apps.get_model("accounts", "User"), apps.get_model("account", "EmailAddress")
    several = users.objects.annotate(count=Count("emailaddress")).filter(count__gt=1).values("pk")
    found = addresses.objects.filter(user__in=several).select_related("user")
    # Of an account's rows the first is kept.
    ordered = found.order_by("user", "-verified", "-primary", "pk")
    for user, rows in groupby(list(ordered), key=lambda row: row.user):
        kept, *_ = rows
        is_taken = users.objects.exclude(pk=user.pk).filter(email=kept.email).exists()
        addresses.objects.filter(user=user).exclude(pk=kept.pk).delete()
        if is_taken:
            # Its own address is left to be confirmed.
            kept.delete()
            addresses.objects.create(user=user, email=user.email, primary=True)
            continue
        kept.primary = True
        kept.save()
        users.objects.filter(pk=user.pk).update(email=kept.email)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_rights"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [migrations.RunPython(leave_one, migrations.RunPython.noop)]
