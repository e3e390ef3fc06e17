from django.db import migrations, models
import django.db.models.deletion


def keep_out_of_the_log(apps, schema_editor):
    """Counting a call then waits for no disk; after a crash of the server the table is empty."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE service_requestcount SET UNLOGGED")


class Migration(migrations.Migration):

    dependencies = [
        ("service", "0004_holders"),
    ]

    operations = [
        migrations.CreateModel(
            name="RequestCount",
            fields=[
                (
                    "api_key",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="service.apikey",
                    ),
                ),
                ("began_at", models.DateTimeField()),
                ("used", models.PositiveIntegerField()),
            ],
        ),
        migrations.RunPython(keep_out_of_the_log, migrations.RunPython.noop),
    ]
