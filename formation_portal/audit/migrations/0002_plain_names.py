from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0001_tables'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='entry',
            name='audit_entry_deed_47ec0c_idx',
        ),
        migrations.RenameField(
            model_name='entry',
            old_name='deed',
            new_name='action',
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(fields=['action', '-number'], name='audit_entry_action_44c0a9_idx'),
        ),
    ]
