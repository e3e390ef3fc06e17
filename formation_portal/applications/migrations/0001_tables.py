import django.db.models.deletion
import formation_portal.applications.fields
import formation_portal.applications.models
import formation_portal.contract.lifecycle
import formation_portal.core.encrypted_fields
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("applications", "0001_record"),
        ("applications", "0002_removed_parties"),
        ("applications", "0003_parties_told_apart"),
        ("applications", "0004_moves_in_the_history"),
        ("applications", "0005_collaborators"),
        ("applications", "0006_documents_looked_at"),
        ("applications", "0007_changes_of_a_page"),
        ("applications", "0008_stakes"),
        ("applications", "0009_history_in_every_language"),
        ("applications", "0010_schema_versions"),
        ("applications", "0011_schema_translations"),
        ("applications", "0012_party_summaries"),
        ("applications", "0013_parties_in_order"),
        ("applications", "0014_malware_scan_of_documents"),
        ("applications", "0015_encrypted"),
        ("applications", "0016_retention"),
        ("applications", "0017_first_submission"),
        ("applications", "0018_payment_due"),
        ("applications", "0019_drop_party_summaries"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slot', models.TextField()),
                ('subject', models.CharField(max_length=200)),
                ('file', models.FileField(max_length=200, upload_to=formation_portal.applications.models.document_path)),
                ('name', formation_portal.core.encrypted_fields.EncryptedTextField(bound_to=('application_id', 'sha256'), max_length=255)),
                ('mime_type', models.CharField(max_length=40)),
                ('size', models.PositiveIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('findings', models.JSONField(blank=True, default=dict)),
                ('scan', models.CharField(blank=True, choices=[('', 'Not scanned'), ('waiting', 'Checking'), ('clean', 'Clean')], db_default='', default='', max_length=8)),
                ('uploaded_at', models.DateTimeField(auto_now_add=True)),
                ('replaced_at', models.DateTimeField(blank=True, null=True)),
                ('copy_removed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='SchemaVersion',
            fields=[
                ('digest', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('document', models.JSONField()),
                ('translations', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'db_table': 'applications_snapshot',
            },
        ),
        migrations.CreateModel(
            name='Application',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reference', models.CharField(default=formation_portal.applications.fields.new_reference, editable=False, max_length=17, unique=True)),
                ('product_id', models.CharField(max_length=100)),
                ('product', models.JSONField()),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('submitted_for_review', 'Submitted for review'), ('in_review', 'In review'), ('returned_for_changes', 'Returned to you'), ('submitted_to_csp', 'With the registry'), ('incorporated', 'Incorporated'), ('rejected', 'Declined'), ('withdrawn', 'Withdrawn')], default=formation_portal.contract.lifecycle.State['DRAFT'], max_length=24)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('first_submitted_at', models.DateTimeField(blank=True, null=True)),
                ('declaration', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('reference',))),
                ('submissions', models.PositiveSmallIntegerField(default=0)),
                ('payment_due_since', models.DateTimeField(blank=True, null=True)),
                ('deleted_at', models.DateTimeField(blank=True, null=True)),
                ('deletion_announced_at', models.DateTimeField(blank=True, null=True)),
                ('hold_reason', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('reference',), null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='applications', to=settings.AUTH_USER_MODEL)),
                ('submitted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('schema_version', models.ForeignKey(db_column='snapshot_id', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='applications.schemaversion')),
            ],
            options={
                'ordering': ('-updated_at', '-pk'),
            },
        ),
        migrations.CreateModel(
            name='Preview',
            fields=[
                ('document', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='preview', serialize=False, to='applications.document')),
                ('picture', formation_portal.core.encrypted_fields.EncryptedBinaryField(bound_to=('document_id',))),
            ],
        ),
        migrations.AddField(
            model_name='document',
            name='application',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='applications.application'),
        ),
        migrations.AddField(
            model_name='document',
            name='uploaded_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.CreateModel(
            name='Party',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(default=formation_portal.applications.fields.new_token, editable=False, max_length=32)),
                ('raw', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'token'), default=dict)),
                ('version', models.PositiveIntegerField(default=1)),
                ('position', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('kind', models.CharField(max_length=20)),
                ('roles', models.JSONField(default=list)),
                ('removed_at', models.DateTimeField(blank=True, null=True)),
                ('apart_from', models.JSONField(blank=True, default=list)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parties', to='applications.application')),
            ],
            options={
                'ordering': ('position', 'pk'),
            },
        ),
        migrations.AddField(
            model_name='document',
            name='party',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='applications.party'),
        ),
        migrations.CreateModel(
            name='SectionAnswers',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('section_key', models.CharField(max_length=80)),
                ('raw', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'section_key'), default=dict)),
                ('version', models.PositiveIntegerField(default=0)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='section_answers', to='applications.application')),
            ],
        ),
        migrations.CreateModel(
            name='ShareClass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(default=formation_portal.applications.fields.new_token, editable=False, max_length=32)),
                ('raw', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'token'), default=dict)),
                ('version', models.PositiveIntegerField(default=1)),
                ('position', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='share_classes', to='applications.application')),
            ],
            options={
                'ordering': ('position', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='Holding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('typed', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'row'), default=str)),
                ('shares', models.BigIntegerField(blank=True, null=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='holdings', to='applications.application')),
                ('party', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='holdings', to='applications.party')),
                ('share_class', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='holdings', to='applications.shareclass')),
            ],
            options={
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='Stake',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('typed', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'row'), default=str)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stakes', to='applications.application')),
                ('company', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='owners', to='applications.party')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stakes', to='applications.party')),
            ],
            options={
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='Change',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('what', formation_portal.core.encrypted_fields.EncryptedTextField(bound_to=('application_id', 'row'), max_length=300)),
                ('message', models.CharField(blank=True, max_length=300)),
                ('named', formation_portal.core.encrypted_fields.EncryptedJSONField(blank=True, bound_to=('application_id', 'row'), default=dict)),
                ('holder', models.CharField(blank=True, max_length=80)),
                ('changes', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'row'), default=list)),
                ('moved_to', models.CharField(blank=True, max_length=24)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('page', models.CharField(blank=True, max_length=32)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='applications.application')),
                ('who', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-pk',),
                'indexes': [models.Index(fields=['application', '-id'], name='application_applica_3a197e_idx')],
                'constraints': [models.CheckConstraint(condition=models.Q(('what', ''), _negated=True), name='a_change_says_what')],
            },
        ),
        migrations.CreateModel(
            name='Collaborator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254)),
                ('right', models.CharField(choices=[('view', 'Can view'), ('edit', 'Can edit')], max_length=8)),
                ('key_digest', models.CharField(blank=True, max_length=64, null=True, unique=True)),
                ('asked_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='collaborators', to='applications.application')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('pk',),
                'constraints': [models.UniqueConstraint(fields=('application', 'email'), name='asked_once_an_address'), models.UniqueConstraint(fields=('application', 'user'), name='one_right_an_account')],
            },
        ),
        migrations.AddIndex(
            model_name='party',
            index=models.Index(fields=['application', 'position'], name='parties_in_order'),
        ),
        migrations.AddConstraint(
            model_name='party',
            constraint=models.UniqueConstraint(fields=('application', 'token'), name='party_token'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.UniqueConstraint(condition=models.Q(('replaced_at', None)), fields=('application', 'subject'), name='one_document_a_slot'),
        ),
        migrations.AddIndex(
            model_name='application',
            index=models.Index(fields=['owner', '-updated_at'], name='application_owner_i_60a469_idx'),
        ),
        migrations.AddIndex(
            model_name='application',
            index=models.Index(fields=['state', 'submitted_at'], name='application_state_dd5ffb_idx'),
        ),
        migrations.AddConstraint(
            model_name='sectionanswers',
            constraint=models.UniqueConstraint(fields=('application', 'section_key'), name='one_row_a_section'),
        ),
        migrations.AddConstraint(
            model_name='shareclass',
            constraint=models.UniqueConstraint(fields=('application', 'token'), name='share_class_token'),
        ),
        migrations.AddConstraint(
            model_name='holding',
            constraint=models.UniqueConstraint(fields=('party', 'share_class'), name='one_holding_a_class'),
        ),
        migrations.AddConstraint(
            model_name='stake',
            constraint=models.UniqueConstraint(fields=('company', 'owner'), name='one_stake_an_owner'),
        ),
    ]
