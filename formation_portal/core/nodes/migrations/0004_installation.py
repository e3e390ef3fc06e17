import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("nodes", "0003_last_migration")]

    operations = [
        migrations.DeleteModel(name="Node"),
        migrations.RenameModel(old_name="LastMigration", new_name="Installation"),
        migrations.AlterField(
            model_name="installation",
            name="id",
            field=models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
        ),
        migrations.AlterField(
            model_name="installation",
            name="migrated_at",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddField(model_name="installation", name="digests", field=models.JSONField(default=dict)),
    ]
