from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("nodes", "0002_field_keys")]

    operations = [
        migrations.CreateModel(
            name="LastMigration",
            fields=[
                ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ("version", models.CharField(max_length=60)),
                ("migrated_at", models.DateTimeField(auto_now=True)),
            ],
        ),
    ]
