import formation_portal.core.encrypted_fields
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('desk', '0001_tables'),
    ]

    operations = [
        # The column keeps its name: its encrypted values are bound to it, and nodes of the version before go on using it.
        migrations.AlterField(
            model_name='case',
            name='word',
            field=formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id',), db_column='word', max_length=200),
        ),
        migrations.RenameField(
            model_name='case',
            old_name='word',
            new_name='takeover_reason',
        ),
    ]
