"""Remark is called Query in the code, and Ruling ReviewDecision; their tables keep their names, so the database stays."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0003_registrations"),
        # They read the tables by the models' earlier names.
        ("figures", "0002_what_had_happened"),
        ("desk", "0008_who_proposed_what_waits_already"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("Remark", "Query"),
                migrations.RenameModel("Ruling", "ReviewDecision"),
                migrations.AlterModelTable("Query", "reviews_remark"),
                migrations.AlterModelTable("ReviewDecision", "reviews_ruling"),
                migrations.AlterField(
                    "Query",
                    "application",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="queries",
                        to="applications.application",
                    ),
                ),
                migrations.AlterField(
                    "ReviewDecision",
                    "application",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="decisions",
                        to="applications.application",
                    ),
                ),
            ]
        )
    ]
