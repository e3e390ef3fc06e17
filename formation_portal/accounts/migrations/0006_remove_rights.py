from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_permissions"),
    ]

    operations = [
        migrations.RemoveField(model_name="user", name="rights"),
    ]
