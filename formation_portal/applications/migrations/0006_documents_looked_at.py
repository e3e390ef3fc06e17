import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0005_collaborators"),
    ]

    operations = [
        migrations.AddField(
            model_name="document",
            name="findings",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="document",
            name="replaced_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RemoveConstraint(model_name="document", name="one_document_a_slot"),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(
                condition=models.Q(("replaced_at", None)),
                fields=("application", "subject"),
                name="one_document_a_slot",
            ),
        ),
        migrations.CreateModel(
            name="Preview",
            fields=[
                (
                    "document",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="preview",
                        serialize=False,
                        to="applications.document",
                    ),
                ),
                ("picture", models.BinaryField()),
            ],
        ),
    ]
