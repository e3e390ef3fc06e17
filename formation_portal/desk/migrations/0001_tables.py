import django.db.models.deletion
import formation_portal.core.encrypted_fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("desk", "0001_cases"),
        ("desk", "0002_cases_that_stand"),
        ("desk", "0003_openings"),
        ("desk", "0004_places_and_products"),
        ("desk", "0005_places_and_products_of_cases"),
        ("desk", "0006_what_waits_for_a_second_agent"),
        ("desk", "0007_who_proposed_what_waits"),
        ("desk", "0008_who_proposed_what_waits_already"),
        ("desk", "0009_refused_proposals"),
        ("desk", "0010_closed_cases"),
        ("desk", "0011_working_days"),
        ("desk", "0012_checks_done_and_assignments"),
        ("desk", "0013_texts"),
        ("desk", "0014_products_with_places"),
        ("desk", "0015_encrypted"),
        ("desk", "0016_service_statuses"),
    ]

    dependencies = [
        ('applications', '0001_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Offer',
            fields=[
                ('product', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=300)),
                ('place', models.CharField(blank=True, max_length=200)),
            ],
        ),
        migrations.CreateModel(
            name='Case',
            fields=[
                ('application', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='case', serialize=False, to='applications.application')),
                ('title', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id',), max_length=300)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('submitted_for_review', 'Submitted for review'), ('in_review', 'In review'), ('returned_for_changes', 'Returned to you'), ('submitted_to_csp', 'With the registry'), ('incorporated', 'Incorporated'), ('rejected', 'Declined'), ('withdrawn', 'Withdrawn')], max_length=24)),
                ('submitted_at', models.DateTimeField()),
                ('closed_since', models.DateTimeField(null=True)),
                ('open_since', models.DateTimeField(null=True)),
                ('waiting_since', models.DateTimeField(null=True)),
                ('answered_since', models.DateTimeField(null=True)),
                ('confirm_since', models.DateTimeField(null=True)),
                ('refused_at', models.DateTimeField(null=True)),
                ('target_days', models.PositiveSmallIntegerField(default=0)),
                ('waited_days', models.PositiveSmallIntegerField(default=0)),
                ('overdue_at', models.DateTimeField(null=True)),
                ('product', models.CharField(blank=True, max_length=100)),
                ('place', models.CharField(blank=True, max_length=200)),
                ('parties', models.PositiveIntegerField(default=0)),
                ('documents', models.PositiveIntegerField(default=0)),
                ('checks_done', models.PositiveIntegerField(default=0)),
                ('checks_all', models.PositiveIntegerField(default=0)),
                ('version', models.PositiveIntegerField(default=0)),
                ('changed_at', models.DateTimeField(null=True)),
                ('service_status', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id',), default='', max_length=80)),
                ('service_status_since', models.DateTimeField(null=True)),
                ('claimed_at', models.DateTimeField(null=True)),
                ('word', formation_portal.core.encrypted_fields.EncryptedTextField(blank=True, bound_to=('application_id',), max_length=200)),
                ('assigned_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('changed_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('claimed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('taken_from', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='CaseWord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.BinaryField(max_length=120)),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='words', to='desk.case')),
            ],
        ),
        migrations.CreateModel(
            name='Opening',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('opened_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField(db_index=True)),
                ('version', models.PositiveIntegerField(default=0)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='applications.application')),
            ],
        ),
        migrations.CreateModel(
            name='SharedText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=80)),
                ('text', models.TextField()),
                ('version', models.PositiveIntegerField(default=1)),
                ('at', models.DateTimeField()),
                ('removed_at', models.DateTimeField(null=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('title', 'pk'),
            },
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['submitted_at', 'application'], name='case_submitted'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['state', 'submitted_at', 'application'], name='case_by_state'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['open_since', 'application'], name='case_open'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['closed_since', 'application'], name='case_closed'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['waiting_since', 'application'], name='case_waiting'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['overdue_at', 'application'], name='case_overdue'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['answered_since', 'application'], name='case_answered'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['confirm_since', 'application'], name='case_to_confirm'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['claimed_by', 'claimed_at'], name='case_claimed'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['product', 'submitted_at', 'application', 'place'], name='case_by_product'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['product', 'open_since', 'application', 'place'], name='case_open_by_product'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['product', 'waiting_since', 'application', 'place'], name='case_waiting_by_product'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['place', 'waiting_since', 'application'], name='case_waiting_by_place'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['place', 'submitted_at', 'application'], name='case_by_place'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['place', 'open_since', 'application'], name='case_open_by_place'),
        ),
        migrations.AddIndex(
            model_name='caseword',
            index=models.Index(fields=['word', 'case'], name='case_word'),
        ),
        migrations.AddConstraint(
            model_name='caseword',
            constraint=models.UniqueConstraint(fields=('case', 'word'), name='one_row_a_word'),
        ),
        migrations.AddConstraint(
            model_name='opening',
            constraint=models.UniqueConstraint(fields=('application', 'agent'), name='one_opening_an_agent'),
        ),
    ]
