import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("nodes", "0001_secrets_and_nodes"),
        ("nodes", "0002_field_keys"),
        ("nodes", "0003_last_migration"),
        ("nodes", "0004_installation"),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Installation',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('version', models.CharField(max_length=60)),
                ('migrated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('digests', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='Secret',
            fields=[
                ('name', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('sealed', models.TextField()),
                ('made_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
    ]
