"""Says of each case that stands what it is for and where, and lets the filters offer it.

What it needs stands here as it was then, so that no later change of the desk changes what this does.
"""

from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

_AT_ONCE = 200
_LONGEST = {"name": 300, "place": 200}


def say_kinds(apps: StateApps, _editor: Any) -> None:
    """Some at a time, since what an application keeps of its product may be long."""
    case, model = apps.get_model("desk", "Case"), apps.get_model("desk", "Offer")
    offered: set[str] = set()
    last = 0
    while found := list(case.objects.filter(pk__gt=last).select_related("application").order_by("pk")[:_AT_ONCE]):
        for one in found:
            one.product, one.place = one.application.product_id, _called(one.application, "jurisdiction", "place")
            if one.product not in offered:
                name = _called(one.application, "product", "name") or one.product
                model.objects.update_or_create(product=one.product, defaults={"name": name, "place": one.place})
                offered.add(one.product)
        case.objects.bulk_update(found, ["product", "place"])
        last = found[-1].pk


def _called(application: Any, what: str, column: str) -> str:
    return str(application.product.get(what, {}).get("name", ""))[: _LONGEST[column]]


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0009_history_in_every_language"),
        ("desk", "0004_places_and_products"),
    ]

    operations = [migrations.RunPython(say_kinds, migrations.RunPython.noop)]
