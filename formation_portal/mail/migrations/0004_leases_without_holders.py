from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("letters", "0003_encrypted")]

    operations = [
        migrations.RemoveField(model_name="letter", name="holder"),
    ]
