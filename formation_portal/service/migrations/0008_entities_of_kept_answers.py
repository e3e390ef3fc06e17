from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("service", "0007_encrypted"),
    ]

    operations = [
        migrations.AddField(
            model_name="keptanswer",
            name="about",
            field=models.CharField(db_index=True, max_length=40, null=True),
        ),
    ]
