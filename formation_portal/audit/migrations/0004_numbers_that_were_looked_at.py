from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0003_rights"),
    ]

    operations = [
        migrations.AlterField(
            model_name="entry",
            name="deed",
            field=models.CharField(
                choices=[
                    ("look", "Viewed a file"),
                    ("record", "Downloaded the record"),
                    ("change", "Changed the application"),
                    ("decision", "Decided"),
                    ("review", "Reviewed"),
                    ("rights", "Changed rights"),
                    ("reveal", "Viewed numbers"),
                ],
                max_length=10,
            ),
        ),
    ]
