from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0006_documents_looked_at"),
    ]

    operations = [
        migrations.AddField(
            model_name="change",
            name="revision",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="change",
            name="page",
            field=models.CharField(blank=True, max_length=32),
        ),
    ]
