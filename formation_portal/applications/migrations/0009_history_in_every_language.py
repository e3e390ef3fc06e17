from django.db import migrations, models

import formation_portal.applications.fields


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0008_stakes"),
    ]

    operations = [
        migrations.AddField(
            model_name="change",
            name="message",
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name="change",
            name="named",
            field=formation_portal.applications.fields.AnswersField(blank=True, default=dict),
        ),
    ]
