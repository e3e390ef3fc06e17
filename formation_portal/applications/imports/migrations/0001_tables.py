import django.db.models.deletion
import formation_portal.applications.fields
import formation_portal.applications.imports.models
import formation_portal.core.encrypted_fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("spreadsheet", "0001_party_imports"),
        ("spreadsheet", "0002_encrypted"),
    ]

    dependencies = [
        ('applications', '0001_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PartyImport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(default=formation_portal.applications.fields.new_token, editable=False, max_length=32, unique=True)),
                ('uploaded_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(db_index=True, default=formation_portal.applications.imports.models.expiry_of_new_import)),
                ('name', formation_portal.core.encrypted_fields.EncryptedTextField(bound_to=('application_id', 'token'), max_length=255)),
                ('sheet', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'token'), default=dict)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='party_imports', to='applications.application')),
                ('uploaded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
    ]
