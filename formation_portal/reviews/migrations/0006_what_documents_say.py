"""Where a party's documents prove its facts, and what they say there."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_KINDS = [
    ("field", "Answer"),
    ("document", "Document"),
    ("party", "Party"),
    ("section", "Section"),
    ("application", "Application"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0005_screening_checks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Evidence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("kind", models.CharField(choices=_KINDS, max_length=12)),
                ("holder", models.CharField(blank=True, max_length=80)),
                ("name", models.CharField(blank=True, max_length=200)),
                ("label", models.CharField(blank=True, max_length=300)),
                ("slot", models.TextField()),
                ("page", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("text", models.CharField(blank=True, max_length=300)),
                ("removed_at", models.DateTimeField(null=True)),
                (
                    "application",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evidence",
                        to="applications.application",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("removed_at", None)),
                        fields=("application", "kind", "holder", "name"),
                        name="one_evidence_a_fact",
                    )
                ],
            },
        ),
    ]
