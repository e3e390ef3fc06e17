"""Spell international domains of accounts as mail servers know them: sign-in now looks for this spelling."""

from typing import Any

from django.db import migrations

from formation_portal.contract.fields.cleaning import clean_email


def spell_domains(apps: Any, schema_editor: Any) -> None:
    """Rewrite each address with an international domain, unless another account has the new spelling already."""
    for app, name in (("accounts", "User"), ("account", "EmailAddress")):
        rows = apps.get_model(app, name).objects.using(schema_editor.connection.alias)
        for row in rows.only("pk", "email").iterator():
            email = clean_email(row.email)
            if not row.email.isascii() and not rows.filter(email=email).exists():
                rows.filter(pk=row.pk).update(email=email)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_tables"), ("account", "0009_emailaddress_unique_primary_email")]

    operations = [migrations.RunPython(spell_domains, migrations.RunPython.noop)]
