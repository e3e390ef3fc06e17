from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def copy_submission(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take the last submission for the first one: earlier ones were not kept apart."""
    application = apps.get_model("applications", "Application")
    submitted = application.objects.using(schema_editor.connection.alias).exclude(submitted_at=None)
    submitted.update(first_submitted_at=models.F("submitted_at"))


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0016_retention"),
    ]

    operations = [
        migrations.AddField(
            model_name="application",
            name="first_submitted_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(copy_submission, migrations.RunPython.noop),
    ]
