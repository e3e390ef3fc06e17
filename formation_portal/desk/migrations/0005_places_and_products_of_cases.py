"""Says of each case that stands what it is for and where, and lets the filters offer it."""

from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

from formation_portal.desk.recording import kind_of, offer

_AT_ONCE = 200


def say_kinds(apps: StateApps, _editor: Any) -> None:
    """Some at a time, since what an application keeps of its product may be long."""
    case, model = apps.get_model("desk", "Case"), apps.get_model("desk", "Offer")
    offered: set[str] = set()
    last = 0
    while found := list(case.objects.filter(pk__gt=last).select_related("application").order_by("pk")[:_AT_ONCE]):
        for one in found:
            for name, value in kind_of(one.application).items():
                setattr(one, name, value)
            if one.product not in offered:
                offer(model, one.application)
                offered.add(one.product)
        case.objects.bulk_update(found, ["product", "place"])
        last = found[-1].pk


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0009_history_in_every_language"),
        ("desk", "0004_places_and_products"),
    ]

    operations = [migrations.RunPython(say_kinds, migrations.RunPython.noop)]
