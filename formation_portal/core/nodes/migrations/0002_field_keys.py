"""Makes the keys that encrypt personal data, before anything is encrypted with them: committed by itself."""

from django.db import migrations

from formation_portal.core.encryption import key_ring


class Migration(migrations.Migration):
    dependencies = [("nodes", "0001_secrets_and_nodes")]

    operations = [migrations.RunPython(lambda apps, schema_editor: key_ring() and None, migrations.RunPython.noop)]
