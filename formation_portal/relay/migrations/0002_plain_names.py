import django.db.models.deletion
from django.db import migrations, models


NAMES = {"twins": "ambiguous", "otherwise": "state_conflict", "surplus": "duplicate"}


def rename_values(apps, schema_editor):
    deliveries = apps.get_model("relay", "Delivery").objects.using(schema_editor.connection.alias)
    for before, after in NAMES.items():
        deliveries.filter(reason=before).update(reason=after)
    lookups = apps.get_model("relay", "Look").objects.using(schema_editor.connection.alias)
    lookups.filter(conclusion="surplus").update(conclusion="duplicates")


class Migration(migrations.Migration):

    dependencies = [
        ('relay', '0001_tables'),
    ]

    operations = [
        migrations.RenameField(
            model_name='decision',
            old_name='deed',
            new_name='kind',
        ),
        migrations.AlterField(
            model_name='attempt',
            name='delivery',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='relay.delivery'),
        ),
        migrations.AlterField(
            model_name='look',
            name='delivery',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lookups', to='relay.delivery'),
        ),
        migrations.RunPython(rename_values, migrations.RunPython.noop),
    ]
