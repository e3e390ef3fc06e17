from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("desk", "0005_places_and_products_of_cases"),
    ]

    operations = [
        migrations.AddField(
            model_name="case",
            name="confirm_since",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name="case",
            index=models.Index(fields=["confirm_since", "application"], name="case_to_confirm"),
        ),
    ]
