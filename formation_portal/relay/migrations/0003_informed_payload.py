from django.db import migrations

import formation_portal.core.encrypted_fields


class Migration(migrations.Migration):
    """Rename the field but not its column, since encrypted values are bound to the column's name."""

    dependencies = [
        ('relay', '0002_plain_names'),
    ]

    operations = [
        migrations.AlterField(
            model_name='decision',
            name='told',
            field=formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('delivery_id', 'row'), db_column='told', null=True),
        ),
        migrations.RenameField(
            model_name='decision',
            old_name='told',
            new_name='informed_payload',
        ),
    ]
