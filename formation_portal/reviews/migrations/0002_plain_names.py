from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0001_tables'),
    ]

    operations = [
        migrations.RenameField(
            model_name='reviewdecision',
            old_name='deed',
            new_name='kind',
        ),
    ]
