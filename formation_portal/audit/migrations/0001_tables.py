from django.db import migrations, models, router

from formation_portal.audit.marks import make_marks


# The owner of the table could still remove the trigger: deploy/README.md gives the table to another role.
ONLY_GROWS = """
CREATE FUNCTION audit_anchor_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_anchor only grows';
END $$;
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE ON audit_anchor
    FOR EACH ROW EXECUTE FUNCTION audit_anchor_only_grows();
"""
UNDO = "DROP TRIGGER only_grows ON audit_anchor; DROP FUNCTION audit_anchor_only_grows();"


def add_trigger(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(ONLY_GROWS)


def remove_trigger(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(UNDO)


def make_first_marks(apps, schema_editor):
    if router.allow_migrate(schema_editor.connection.alias, "audit"):
        make_marks(apps.get_model("audit", "Entry"), apps.get_model("audit", "ChainMark"))


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("audit", "0001_the_chain_of_deeds"),
        ("audit", "0002_reviews_are_deeds"),
        ("audit", "0003_rights"),
        ("audit", "0004_numbers_that_were_looked_at"),
        ("audit", "0005_claims"),
        ("audit", "0006_anchor_table"),
        ("audit", "0007_refused_files"),
        ("audit", "0008_exports_and_erasures"),
        ("audit", "0009_second_factors"),
        ("audit", "0010_keyed_digests"),
    ]

    dependencies = [
        # AUDIT_KEY may be in the table of secrets.
        ("nodes", "0001_tables"),
    ]

    operations = [
        migrations.CreateModel(
            name='AnchorRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField(db_index=True)),
                ('hash', models.CharField(max_length=64)),
            ],
            options={
                'db_table': 'audit_anchor',
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='ChainMark',
            fields=[
                ('name', models.CharField(max_length=10, primary_key=True, serialize=False)),
                ('number', models.BigIntegerField()),
                ('hash', models.CharField(max_length=64)),
                ('digest', models.CharField(max_length=64)),
            ],
            options={
                'db_table': 'audit_mark',
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('number', models.BigAutoField(primary_key=True, serialize=False)),
                ('moment', models.BigIntegerField()),
                ('actor', models.CharField(choices=[('agent', 'Agent'), ('customer', 'Customer'), ('guest', 'Guest'), ('portal', 'Portal')], max_length=10)),
                ('account', models.BigIntegerField()),
                ('deed', models.CharField(choices=[('look', 'Viewed a file'), ('record', 'Downloaded the record'), ('change', 'Changed the application'), ('decision', 'Decided'), ('review', 'Reviewed'), ('rights', 'Changed rights'), ('reveal', 'Viewed numbers'), ('claim', 'Claimed or released a case'), ('refusal', 'Rejected a file'), ('export', 'Downloaded a person’s data'), ('erasure', 'Erased personal data'), ('factor', 'Changed or used two-step sign-in'), ('acceptance', 'Accepted entries without a keyed digest')], max_length=10)),
                ('application', models.BigIntegerField()),
                ('reference', models.CharField(max_length=32)),
                ('subject', models.CharField(max_length=80)),
                ('detail', models.TextField()),
                ('previous', models.CharField(max_length=64)),
                ('hash', models.CharField(max_length=64)),
                ('keyed_digest', models.CharField(blank=True, db_default='', default='', max_length=64)),
            ],
            options={
                'ordering': ('-number',),
                'indexes': [models.Index(fields=['reference', '-number'], name='audit_entry_referen_c421e4_idx'), models.Index(fields=['account', '-number'], name='audit_entry_account_76471d_idx'), models.Index(fields=['actor', '-number'], name='audit_entry_actor_08b86d_idx'), models.Index(fields=['deed', '-number'], name='audit_entry_deed_47ec0c_idx'), models.Index(fields=['moment'], name='audit_entry_moment_457cd0_idx')],
            },
        ),
        migrations.RunPython(add_trigger, remove_trigger),
        migrations.RunPython(make_first_marks, migrations.RunPython.noop),
    ]
