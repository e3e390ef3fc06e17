import django.db.models.deletion
import formation_portal.applications.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0007_changes_of_a_page"),
    ]

    operations = [
        migrations.CreateModel(
            name="Stake",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("typed", formation_portal.applications.fields.AnswersField(default=str)),
                (
                    "application",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stakes",
                        to="applications.application",
                    ),
                ),
                (
                    "company",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="owners", to="applications.party"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="stakes", to="applications.party"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [models.UniqueConstraint(fields=("company", "owner"), name="one_stake_an_owner")],
            },
        ),
    ]
