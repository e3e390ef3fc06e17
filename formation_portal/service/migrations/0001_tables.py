import django.db.models.deletion
import formation_portal.contract.lifecycle
import formation_portal.core.encrypted_fields
import formation_portal.service.identifiers
from django.db import migrations, models


def keep_out_of_the_log(apps, schema_editor):
    """Make the table of counts unlogged: counting then never waits for the disk, but a server crash empties the table."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE service_requestcount SET UNLOGGED")


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("service", "0001_initial"),
        ("service", "0002_webhooks"),
        ("service", "0003_holders_of_kept_answers"),
        ("service", "0004_holders"),
        ("service", "0005_request_count"),
        ("service", "0006_keys_that_end"),
        ("service", "0007_encrypted"),
        ("service", "0008_entities_of_kept_answers"),
        ("service", "0009_first_submission"),
        ("service", "0010_leases_without_holders"),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Account',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('scopes', models.JSONField(default=list)),
                ('is_unlimited', models.BooleanField(default=False)),
                ('is_demo', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ending', models.CharField(blank=True, db_default='', default='', max_length=4)),
                ('expires_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('last_used_at', models.DateTimeField(null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='keys', to='service.account')),
            ],
        ),
        migrations.CreateModel(
            name='CatalogItem',
            fields=[
                ('jurisdiction_product_id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('jurisdiction', models.CharField(max_length=100)),
                ('product_type', models.CharField(max_length=50)),
                ('position', models.PositiveIntegerField()),
                ('is_listed', models.BooleanField(default=True)),
                ('document', models.JSONField()),
            ],
            options={
                'ordering': ('position',),
            },
        ),
        migrations.CreateModel(
            name='CatalogLoad',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('loaded_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='FormSchema',
            fields=[
                ('id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('jurisdiction_product_id', models.CharField(db_index=True, max_length=64)),
                ('version', models.CharField(max_length=50)),
                ('document', models.JSONField()),
                ('digest', models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='RequestCount',
            fields=[
                ('api_key', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='service.apikey')),
                ('began_at', models.DateTimeField()),
                ('used', models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='Entity',
            fields=[
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('properties', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('id',), default=dict)),
                ('csp_data', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('id',), default=dict)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('id', models.CharField(default=formation_portal.service.identifiers.new_entity_id, max_length=40, primary_key=True, serialize=False)),
                ('client_reference', models.CharField(max_length=100, null=True)),
                ('status', models.CharField(default=formation_portal.contract.lifecycle.State['DRAFT'], max_length=30)),
                ('status_note', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('id',))),
                ('first_submitted_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entities', to='service.account')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entities', to='service.apikey')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entities', to='service.catalogitem')),
                ('form', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entities', to='service.formschema')),
            ],
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('number', models.BigAutoField(primary_key=True, serialize=False)),
                ('id', models.CharField(default=formation_portal.service.identifiers.new_event_id, max_length=40, unique=True)),
                ('type', models.CharField(max_length=50)),
                ('data', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('id',))),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='service.account')),
            ],
        ),
        migrations.CreateModel(
            name='EventDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('next_at', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('about', models.CharField(max_length=40)),
                ('lease', models.UUIDField(null=True)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('dead_at', models.DateTimeField(null=True)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='service.event')),
            ],
        ),
        migrations.CreateModel(
            name='DeliveryAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('outcome', models.CharField(blank=True, max_length=40)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='service.eventdelivery')),
            ],
        ),
        migrations.AddField(
            model_name='catalogitem',
            name='form',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='service.formschema'),
        ),
        migrations.CreateModel(
            name='KeptAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('idempotency_key', models.CharField(max_length=255)),
                ('fingerprint', models.CharField(max_length=64)),
                ('about', models.CharField(db_index=True, max_length=40, null=True)),
                ('attempt', models.CharField(max_length=32)),
                ('started_at', models.DateTimeField()),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('headers', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('api_key_id', 'idempotency_key'), default=dict)),
                ('body', formation_portal.core.encrypted_fields.EncryptedBinaryField(bound_to=('api_key_id', 'idempotency_key'), default=bytes)),
                ('api_key', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='kept_answers', to='service.apikey')),
            ],
        ),
        migrations.CreateModel(
            name='Party',
            fields=[
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('properties', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('id',), default=dict)),
                ('csp_data', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('id',), default=dict)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('id', models.CharField(default=formation_portal.service.identifiers.new_party_id, max_length=40, primary_key=True, serialize=False)),
                ('party_type', models.CharField(max_length=20)),
                ('roles', models.JSONField(default=list)),
                ('search_text', models.TextField()),
                ('role_text', models.TextField()),
                ('entity', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parties', to='service.entity')),
            ],
        ),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('id', models.CharField(default=formation_portal.service.identifiers.new_document_id, max_length=40, primary_key=True, serialize=False)),
                ('document_key', models.CharField(max_length=500)),
                ('name', formation_portal.core.encrypted_fields.EncryptedTextField(bound_to=('id',), max_length=255)),
                ('mime_type', models.CharField(max_length=100)),
                ('size', models.PositiveIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('status', models.CharField(default='pending', max_length=20)),
                ('path', models.CharField(max_length=200)),
                ('entity', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='service.entity')),
                ('party', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='service.party')),
            ],
        ),
        migrations.CreateModel(
            name='ShareClass',
            fields=[
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('properties', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('id',), default=dict)),
                ('csp_data', formation_portal.core.encrypted_fields.EncryptedJSONField(bound_to=('id',), default=dict)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('id', models.CharField(default=formation_portal.service.identifiers.new_share_class_id, max_length=40, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=500)),
                ('entity', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='share_classes', to='service.entity')),
            ],
        ),
        migrations.CreateModel(
            name='Shareholding',
            fields=[
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('id', models.CharField(default=formation_portal.service.identifiers.new_shareholding_id, max_length=40, primary_key=True, serialize=False)),
                ('shares_held', models.BigIntegerField()),
                ('party', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shareholdings', to='service.party')),
                ('share_class', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shareholdings', to='service.shareclass')),
            ],
        ),
        migrations.CreateModel(
            name='Subscription',
            fields=[
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('id', models.CharField(default=formation_portal.service.identifiers.new_webhook_id, max_length=40, primary_key=True, serialize=False)),
                ('url', models.CharField(max_length=2000)),
                ('events', models.JSONField(default=list)),
                ('description', models.CharField(blank=True, max_length=500)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subscriptions', to='service.account')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddField(
            model_name='eventdelivery',
            name='subscription',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='service.subscription'),
        ),
        migrations.AddIndex(
            model_name='entity',
            index=models.Index(fields=['account', '-created_at'], name='service_ent_account_bc44ea_idx'),
        ),
        migrations.AddConstraint(
            model_name='entity',
            constraint=models.UniqueConstraint(fields=('created_by', 'client_reference'), name='one_entity_per_client_reference'),
        ),
        migrations.AddConstraint(
            model_name='keptanswer',
            constraint=models.UniqueConstraint(fields=('api_key', 'idempotency_key'), name='one_answer_per_idempotency_key'),
        ),
        migrations.AddIndex(
            model_name='party',
            index=models.Index(fields=['entity', 'created_at'], name='service_par_entity__fbb239_idx'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.UniqueConstraint(condition=models.Q(('party__isnull', False)), fields=('party', 'document_key'), name='one_document_per_party_slot'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.UniqueConstraint(condition=models.Q(('party__isnull', True)), fields=('entity', 'document_key'), name='one_document_per_slot'),
        ),
        migrations.AddConstraint(
            model_name='shareclass',
            constraint=models.UniqueConstraint(fields=('entity', 'name'), name='one_class_per_name'),
        ),
        migrations.AddConstraint(
            model_name='shareholding',
            constraint=models.UniqueConstraint(fields=('party', 'share_class'), name='one_shareholding_per_party_and_class'),
        ),
        migrations.AddIndex(
            model_name='eventdelivery',
            index=models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='events_to_send'),
        ),
        migrations.AddIndex(
            model_name='eventdelivery',
            index=models.Index(condition=models.Q(('next_at__isnull', False)), fields=['subscription', 'about', 'event'], name='events_in_their_order'),
        ),
        migrations.AddConstraint(
            model_name='eventdelivery',
            constraint=models.UniqueConstraint(fields=('subscription', 'event'), name='one_delivery_per_subscription_and_event'),
        ),
        migrations.RunPython(keep_out_of_the_log, migrations.RunPython.noop),
    ]
