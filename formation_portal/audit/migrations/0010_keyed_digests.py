from django.db import migrations, models, router

from formation_portal.audit.marks import make_marks


def begin_keyed_digests(apps, schema_editor):
    """Entries that are there have no keyed digest. The marks hold the newest of them, and with it all before."""
    if router.allow_migrate(schema_editor.connection.alias, "audit"):
        make_marks(apps.get_model("audit", "Entry"), apps.get_model("audit", "ChainMark"))


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0009_second_factors"),
        # AUDIT_KEY may be in the table of secrets.
        ("nodes", "0003_last_migration"),
    ]

    operations = [
        migrations.CreateModel(
            name="ChainMark",
            fields=[
                ("name", models.CharField(max_length=10, primary_key=True, serialize=False)),
                ("number", models.BigIntegerField()),
                ("hash", models.CharField(max_length=64)),
                ("digest", models.CharField(max_length=64)),
            ],
            options={"db_table": "audit_mark"},
        ),
        # The default is the database's: versions before this one go on writing entries during an upgrade.
        migrations.AddField(
            model_name="entry",
            name="keyed_digest",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AlterField(
            model_name="entry",
            name="deed",
            field=models.CharField(
                choices=[
                    ("look", "Viewed a file"),
                    ("record", "Downloaded the record"),
                    ("change", "Changed the application"),
                    ("decision", "Decided"),
                    ("review", "Reviewed"),
                    ("rights", "Changed rights"),
                    ("reveal", "Viewed numbers"),
                    ("claim", "Claimed or released a case"),
                    ("refusal", "Rejected a file"),
                    ("export", "Downloaded a person’s data"),
                    ("erasure", "Erased personal data"),
                    ("factor", "Changed or used two-step sign-in"),
                    ("acceptance", "Accepted entries without a keyed digest"),
                ],
                max_length=10,
            ),
        ),
        migrations.RunPython(begin_keyed_digests, migrations.RunPython.noop),
    ]
