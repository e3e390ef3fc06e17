import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("figures", "0001_totals"),
        ("figures", "0002_what_had_happened"),
        ("figures", "0003_figures_from_history"),
    ]

    dependencies = [
        ('applications', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='ErasedFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('figures', models.JSONField(default=list)),
                ('last_day', models.DateField(db_index=True)),
                ('application', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='applications.application')),
            ],
        ),
    ]
