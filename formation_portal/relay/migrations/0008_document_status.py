from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """New names for two fields; their columns, and the index over one of them, stay as they are."""

    dependencies = [
        ("relay", "0007_lease_holders"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex("delivery", "documents_to_read"),
                migrations.RenameField("delivery", "verdict", "document_status"),
                migrations.AlterField(
                    "delivery",
                    "document_status",
                    models.CharField(blank=True, db_column="verdict", max_length=10),
                ),
                migrations.RenameField("delivery", "verdict_note", "document_note"),
                migrations.AlterField(
                    "delivery", "document_note", models.TextField(blank=True, db_column="verdict_note")
                ),
                migrations.AddIndex(
                    "delivery",
                    models.Index(
                        fields=("read_next_at", "updated_at"),
                        condition=Q(kind="document", state="done") & ~Q(document_status="approved"),
                        name="documents_to_read",
                    ),
                ),
            ]
        )
    ]
