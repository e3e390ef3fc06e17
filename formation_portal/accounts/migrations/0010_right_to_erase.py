from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_rights_to_cases"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": (
                    ("own_cases", "open the cases claimed by them, with documents and masked numbers"),
                    ("all_cases", "open every case, with documents and masked numbers"),
                    ("review", "claim cases, check facts and raise queries"),
                    ("decide", "approve, return and decline"),
                    ("confirm", "confirm another agent’s decision"),
                    ("export", "download records as JSON, PDF and CSV"),
                    ("audit", "read the audit log"),
                    ("workbench", "try out schemas at the workbench"),
                    ("keys", "make and revoke API keys"),
                    ("erase", "erase a person from an application"),
                ),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
    ]
