from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0008_exports_and_erasures"),
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
                    ("claim", "Claimed or released a case"),
                    ("refusal", "Rejected a file"),
                    ("export", "Downloaded a person’s data"),
                    ("erasure", "Erased personal data"),
                    ("factor", "Changed or used two-step sign-in"),
                ],
                max_length=10,
            ),
        ),
    ]
