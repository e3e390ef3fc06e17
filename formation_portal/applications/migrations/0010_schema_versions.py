"""Snapshot is called SchemaVersion in the code; its table and column keep their names, so the database stays as it is."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("applications", "0009_history_in_every_language")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("Snapshot", "SchemaVersion"),
                migrations.AlterModelTable("SchemaVersion", "applications_snapshot"),
                migrations.RenameField("Application", "snapshot", "schema_version"),
                migrations.AlterField(
                    "Application",
                    "schema_version",
                    models.ForeignKey(
                        db_column="snapshot_id",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="applications.schemaversion",
                    ),
                ),
            ],
        )
    ]
