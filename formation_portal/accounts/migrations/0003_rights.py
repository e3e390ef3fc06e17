from django.db import migrations, models


def all_rights() -> list[str]:
    return ["review", "decide", "confirm", "export", "audit"]


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
                default=all_rights,
                help_text="What an agent may do.",
                verbose_name="rights",
            ),
        ),
    ]
