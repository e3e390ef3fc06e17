from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('service', '0005_request_count'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='ending',
            field=models.CharField(blank=True, db_default='', default='', max_length=4),
        ),
        migrations.AddField(
            model_name='apikey',
            name='expires_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='apikey',
            name='last_used_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='apikey',
            name='revoked_at',
            field=models.DateTimeField(null=True),
        ),
    ]
