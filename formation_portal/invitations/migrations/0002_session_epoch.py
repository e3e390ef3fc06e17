from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("invitations", "0001_invitations"),
    ]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="session_epoch",
            field=models.PositiveIntegerField(default=0),
        ),
    ]
