import django.db.models.deletion
import formation_portal.core.encrypted_fields
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("reviews", "0001_record_of_reviews"),
        ("reviews", "0002_what_was_accepted"),
        ("reviews", "0003_registrations"),
        ("reviews", "0004_queries_and_decisions"),
        ("reviews", "0005_screening_checks"),
        ("reviews", "0006_what_documents_say"),
        ("reviews", "0007_encrypted"),
        ("reviews", "0008_decisions_take_effect_later"),
        ("reviews", "0009_service_statuses"),
    ]

    dependencies = [
        ('applications', '0001_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Accepted',
            fields=[
                ('application', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='accepted', serialize=False, to='applications.application')),
                ('round', models.PositiveSmallIntegerField()),
                ('places', models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name='Review',
            fields=[
                ('application', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='review', serialize=False, to='applications.application')),
                ('version', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Note',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('field', 'Answer'), ('document', 'Document'), ('party', 'Party'), ('section', 'Section'), ('application', 'Application')], max_length=12)),
                ('holder', models.CharField(blank=True, max_length=80)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('label', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'), max_length=300)),
                ('text', formation_portal.core.encrypted_fields.EncryptedTextField(bound_to=('application_id', 'row'))),
                ('removed_at', models.DateTimeField(null=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='applications.application')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='ScreeningCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('holder', models.CharField(max_length=80)),
                ('label', formation_portal.core.encrypted_fields.EncryptedTextField(bound_to=('application_id', 'row'), max_length=300)),
                ('kind', models.CharField(choices=[('sanctions', 'Sanctions check'), ('pep', 'PEP check'), ('register', 'Company register check'), ('adverse_media', 'Adverse media check')], max_length=16)),
                ('done_on', models.DateField()),
                ('outcome', models.CharField(choices=[('clear', 'Clear'), ('cleared', 'Possible match, cleared'), ('match', 'Match')], max_length=12)),
                ('text', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'))),
                ('file', models.FileField(blank=True, max_length=200, upload_to='')),
                ('name', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'), max_length=255)),
                ('mime_type', models.CharField(blank=True, max_length=40)),
                ('size', models.PositiveIntegerField(default=0)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('removed_at', models.DateTimeField(null=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='screening_checks', to='applications.application')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('done_on', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='Check',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('field', 'Answer'), ('document', 'Document'), ('party', 'Party'), ('section', 'Section'), ('application', 'Application')], max_length=12)),
                ('holder', models.CharField(blank=True, max_length=80)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('label', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'), max_length=300)),
                ('digest', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'), max_length=64)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='applications.application')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('application', 'kind', 'holder', 'name'), name='one_check_a_fact')],
            },
        ),
        migrations.CreateModel(
            name='Evidence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('field', 'Answer'), ('document', 'Document'), ('party', 'Party'), ('section', 'Section'), ('application', 'Application')], max_length=12)),
                ('holder', models.CharField(blank=True, max_length=80)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('label', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'), max_length=300)),
                ('slot', models.TextField()),
                ('page', models.PositiveIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('text', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'), max_length=300)),
                ('removed_at', models.DateTimeField(null=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='applications.application')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('pk',),
                'constraints': [models.UniqueConstraint(condition=models.Q(('removed_at', None)), fields=('application', 'kind', 'holder', 'name'), name='one_evidence_a_fact')],
            },
        ),
        migrations.CreateModel(
            name='Query',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('field', 'Answer'), ('document', 'Document'), ('party', 'Party'), ('section', 'Section'), ('application', 'Application')], max_length=12)),
                ('holder', models.CharField(blank=True, max_length=80)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('label', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'), max_length=300)),
                ('reason', models.CharField(choices=[('differs', 'Answer differs from the document'), ('unreadable', 'Page cut off or unreadable'), ('outdated', 'Document too old'), ('wrong', 'Wrong document'), ('missing', 'Information missing'), ('unclear', 'Answer is unclear'), ('other', 'Other')], default='other', max_length=12)),
                ('text', formation_portal.core.encrypted_fields.EncryptedTextField(bound_to=('application_id', 'row'))),
                ('proposal', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'row'), null=True)),
                ('dropped_at', models.DateTimeField(null=True)),
                ('round', models.PositiveSmallIntegerField(null=True)),
                ('sent_at', models.DateTimeField(null=True)),
                ('reply', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'))),
                ('replied_at', models.DateTimeField(null=True)),
                ('settled_at', models.DateTimeField(null=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='queries', to='applications.application')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'reviews_remark',
                'ordering': ('pk',),
                'constraints': [models.UniqueConstraint(condition=models.Q(('dropped_at', None), ('sent_at', None), ('settled_at', None)), fields=('application', 'kind', 'holder', 'name'), name='one_drafted_remark_a_place')],
            },
        ),
        migrations.CreateModel(
            name='ReviewDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('deed', models.CharField(max_length=24)),
                ('reason', models.CharField(blank=True, max_length=24)),
                ('text', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'))),
                ('round', models.PositiveSmallIntegerField()),
                ('outcome', models.CharField(choices=[('waiting', 'Awaiting second agent'), ('scheduled', 'Takes effect shortly'), ('done', 'Done'), ('refused', 'Not confirmed by the second agent'), ('overtaken', 'Replaced'), ('undone', 'Undone before it took effect'), ('stopped', 'Stopped before it took effect')], max_length=12)),
                ('takes_effect_at', models.DateTimeField(null=True)),
                ('proposed_at', models.DateTimeField()),
                ('register_number', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'), max_length=80)),
                ('registered_on', models.DateField(null=True)),
                ('refusal', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'))),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='applications.application')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'reviews_ruling',
                'ordering': ('-pk',),
                'indexes': [models.Index(fields=['outcome', 'takes_effect_at'], name='decision_due')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('outcome', 'waiting')), fields=('application',), name='one_waiting_ruling'), models.UniqueConstraint(condition=models.Q(('outcome', 'scheduled')), fields=('application',), name='one_scheduled_decision')],
            },
        ),
        migrations.CreateModel(
            name='ServiceStatus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('status', formation_portal.core.encrypted_fields.EncryptedTextField(bound_to=('application_id', 'row'), max_length=80)),
                ('note', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'))),
                ('company_number', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'), max_length=80)),
                ('incorporated_on', models.DateField(null=True)),
                ('received_at', models.DateTimeField()),
                ('written_by', models.PositiveBigIntegerField(default=0)),
                ('ended_at', models.DateTimeField(null=True)),
                ('outcome', models.CharField(choices=[('open', 'Waiting for an agent'), ('applied', 'Applied'), ('passed_on', 'Passed on to the customer'), ('dismissed', 'Dismissed'), ('replaced', 'Replaced by a later status')], max_length=12)),
                ('reason', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'row'))),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='service_statuses', to='applications.application')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-pk',),
                'constraints': [models.UniqueConstraint(condition=models.Q(('outcome', 'open')), fields=('application',), name='one_open_service_status')],
            },
        ),
    ]
