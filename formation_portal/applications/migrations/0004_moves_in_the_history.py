from django.db import migrations, models

# What the history has said of the customer's own deeds until now.
DEEDS = {
    "Submitted the application for review": "submitted_for_review",
    "Withdrew the application": "withdrawn",
}


def tell_moves(apps, schema_editor):
    """So that the tracker of what was submitted before has its dates."""
    changes = apps.get_model("applications", "Change").objects.using(schema_editor.connection.alias)
    for what, state in DEEDS.items():
        changes.filter(what=what, holder="").update(moved_to=state)


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0003_parties_told_apart"),
    ]

    operations = [
        migrations.AddField(
            model_name="change",
            name="moved_to",
            field=models.CharField(blank=True, max_length=24),
        ),
        migrations.RunPython(tell_moves, migrations.RunPython.noop, elidable=True),
    ]
