from django.db import migrations, models

import formation_portal.accounts.models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_language"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="rights",
            field=models.JSONField(
                blank=True,
                default=formation_portal.accounts.models.all_rights,
                help_text="What an agent may do.",
                verbose_name="rights",
            ),
        ),
    ]
