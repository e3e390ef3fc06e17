from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("service", "0008_entities_of_kept_answers"),
    ]

    operations = [
        migrations.AddField(
            model_name="entity",
            name="first_submitted_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
