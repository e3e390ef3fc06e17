import formation_portal.core.encrypted_fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0015_encrypted"),
    ]

    operations = [
        migrations.AddField(
            model_name="application",
            name="deletion_announced_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="application",
            name="hold_reason",
            field=formation_portal.core.encrypted_fields.EncryptedTextField(
                blank=True, bound_to=("reference",), null=True
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="copy_removed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
