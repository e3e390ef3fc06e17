from django.db import migrations


class Migration(migrations.Migration):
    """Rename the model alone: its table stays."""

    dependencies = [
        ('letters', '0001_tables'),
    ]

    operations = [
        migrations.AlterModelTable(
            name='letter',
            table='letters_letter',
        ),
        migrations.RenameModel(
            old_name='Letter',
            new_name='Email',
        ),
    ]
