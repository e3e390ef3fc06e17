import django.db.models.deletion
import formation_portal.core.encrypted_fields
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("relay", "0001_deliveries"),
        ("relay", "0002_evidence"),
        ("relay", "0003_verdicts_of_documents"),
        ("relay", "0004_received_events"),
        ("relay", "0005_told_by_hand"),
        ("relay", "0006_calls_that_are_not_there"),
        ("relay", "0007_lease_holders"),
        ("relay", "0008_document_status"),
        ("relay", "0009_deliveries_in_trouble"),
        ("relay", "0010_encrypted"),
        ("relay", "0011_deliveries_sent_again"),
        ("relay", "0012_refused_events"),
        ("relay", "0013_entity_readings"),
        ("relay", "0014_drop_clock_ahead"),
        ("relay", "0015_drop_troubled_index"),
        ("relay", "0016_leases_without_holders"),
    ]

    dependencies = [
        ('applications', '0001_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='EntityReading',
            fields=[
                ('application', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='entity_reading', serialize=False, to='applications.application')),
                ('read_at', models.DateTimeField(null=True)),
                ('next_at', models.DateTimeField(db_index=True, null=True)),
                ('status', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id',), max_length=80)),
                ('payment_url', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id',))),
            ],
        ),
        migrations.CreateModel(
            name='ReceivedEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event_id', models.CharField(max_length=200, unique=True)),
                ('kind', models.CharField(blank=True, max_length=200)),
                ('about', models.CharField(blank=True, max_length=200)),
                ('body', formation_portal.core.encrypted_fields.EncryptedBinaryField(bound_to=('event_id',))),
                ('received_at', models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='RefusedEvents',
            fields=[
                ('reason', models.CharField(choices=[('no_secret', 'the portal has no secret to verify them'), ('unsigned', 'they have no signature'), ('other_scheme', 'they are signed in another way than WEBHOOK_SCHEME says'), ('time', 'they were signed more than five minutes ago, or the clocks differ'), ('signature', 'their signature does not match the secret'), ('content', 'their content is not JSON')], max_length=20, primary_key=True, serialize=False)),
                ('number', models.PositiveBigIntegerField(default=0)),
                ('last_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='ServiceProfile',
            fields=[
                ('base_url', models.CharField(max_length=300, primary_key=True, serialize=False)),
                ('can_edit', models.BooleanField(null=True)),
                ('capabilities', models.JSONField(blank=True, null=True)),
                ('lacks', models.JSONField(blank=True, default=list)),
                ('probed_at', models.DateTimeField(blank=True, null=True)),
                ('paused_until', models.DateTimeField(blank=True, null=True)),
                ('pause_reason', models.CharField(blank=True, max_length=20)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('open_until', models.DateTimeField(blank=True, null=True)),
                ('recent_calls', models.JSONField(default=list)),
                ('retries_left', models.FloatField(null=True)),
                ('retries_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('entity', 'entity'), ('entity_csp', 'entity_csp'), ('share_class', 'share_class'), ('share_class_csp', 'share_class_csp'), ('party', 'party'), ('party_csp', 'party_csp'), ('document', 'document'), ('shareholding', 'shareholding'), ('submission', 'submission'), ('status', 'status')], max_length=20)),
                ('subject', models.CharField(blank=True, max_length=200)),
                ('position', models.PositiveIntegerField(default=0)),
                ('wanted', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'kind', 'subject'), null=True)),
                ('acknowledged', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'kind', 'subject'), null=True)),
                ('sent', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'kind', 'subject'), null=True)),
                ('key', models.CharField(blank=True, max_length=64)),
                ('needs', models.JSONField(default=list)),
                ('remote_id', models.CharField(blank=True, max_length=200)),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('sending', 'Sending'), ('done', 'Done'), ('waiting', 'Waiting'), ('unknown', 'Unknown'), ('reconciling', 'Reconciling'), ('held', 'Held'), ('refused', 'Refused')], default='queued', max_length=12)),
                ('reason', models.CharField(blank=True, max_length=40)),
                ('problems', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('application_id', 'kind', 'subject'), default=list)),
                ('next_at', models.DateTimeField(blank=True, null=True)),
                ('lease', models.UUIDField(blank=True, null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('repeats', models.PositiveIntegerField(default=0)),
                ('looks', models.PositiveIntegerField(default=0)),
                ('recheck', models.BooleanField(default=False)),
                ('unclear_since', models.DateTimeField(blank=True, null=True)),
                ('document_status', models.CharField(blank=True, db_column='verdict', max_length=10)),
                ('document_note', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id', 'kind', 'subject'), db_column='verdict_note')),
                ('read_next_at', models.DateTimeField(blank=True, null=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='applications.application')),
            ],
            options={
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('row', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('deed', models.CharField(choices=[('bind', 'The formation service has it'), ('absent', 'The formation service does not have it'), ('told', 'Formation service informed'), ('again', 'Sent again unchanged')], max_length=10)),
                ('remote_id', models.CharField(blank=True, max_length=200)),
                ('note', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('delivery_id', 'row'))),
                ('told', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('delivery_id', 'row'), null=True)),
                ('decided_at', models.DateTimeField(auto_now_add=True)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='relay.delivery')),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64)),
                ('lease', models.UUIDField(default=uuid.uuid4)),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(blank=True, max_length=40)),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('request_id', models.CharField(blank=True, max_length=100)),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tries', to='relay.delivery')),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='Look',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('looked_at', models.DateTimeField(auto_now_add=True)),
                ('records', models.PositiveIntegerField(default=0)),
                ('matches', models.JSONField(default=list)),
                ('conclusion', models.CharField(max_length=40)),
                ('request_id', models.CharField(blank=True, max_length=100)),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seen', to='relay.delivery')),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['state', 'reason'], name='deliveries_by_state'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='due_deliveries'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('kind', 'document'), ('state', 'done'), models.Q(('document_status', 'approved'), _negated=True)), fields=['read_next_at', 'updated_at'], name='documents_to_read'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('application', 'kind', 'subject'), name='one_row_a_thing'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'sending')), fields=('application',), name='one_call_in_flight_an_entity'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(condition=models.Q(('remote_id', ''), _negated=True), fields=('kind', 'remote_id'), name='one_thing_a_remote_id'),
        ),
    ]
