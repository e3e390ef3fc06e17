from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0001_user"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(
                blank=True, default="", help_text="Letters are written in it.", max_length=8, verbose_name="language"
            ),
        ),
    ]
