import django.db.models.deletion
import formation_portal.applications.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("invitations", "0001_invitations"),
        ("invitations", "0002_session_epoch"),
    ]

    dependencies = [
        ('applications', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reference', models.CharField(default=formation_portal.applications.fields.new_token, editable=False, max_length=32, unique=True)),
                ('email', models.EmailField(max_length=254)),
                ('language', models.CharField(max_length=12)),
                ('key_digest', models.CharField(max_length=64, unique=True)),
                ('round', models.PositiveIntegerField(default=0)),
                ('session_epoch', models.PositiveIntegerField(default=0)),
                ('sent_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('nudged_at', models.DateTimeField(blank=True, null=True)),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('begun_at', models.DateTimeField(blank=True, null=True)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('wanted_at', models.DateTimeField(blank=True, null=True)),
                ('code_digest', models.CharField(blank=True, max_length=64)),
                ('code_sent_at', models.DateTimeField(blank=True, null=True)),
                ('code_tries', models.PositiveSmallIntegerField(default=0)),
                ('codes_since', models.DateTimeField(blank=True, null=True)),
                ('codes_sent', models.PositiveSmallIntegerField(default=0)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='applications.application')),
                ('party', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='invitation', to='applications.party')),
            ],
            options={
                'ordering': ('pk',),
            },
        ),
    ]
