import formation_portal.core.encrypted_fields
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("letters", "0001_letters"),
        ("letters", "0002_holders"),
        ("letters", "0003_encrypted"),
        ("letters", "0004_leases_without_holders"),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Letter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('number', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('to', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('number',))),
                ('kind', models.CharField(max_length=40)),
                ('language', models.CharField(max_length=12)),
                ('subject', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('number',), max_length=250)),
                ('text', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('number',))),
                ('html', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('number',))),
                ('reference', models.CharField(blank=True, max_length=40)),
                ('once', models.CharField(blank=True, max_length=120, null=True, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('next_at', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('error', models.CharField(blank=True, max_length=60)),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='Refusal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('kind', models.CharField(max_length=40)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('digest', 'kind'), name='refused_once')],
            },
        ),
    ]
