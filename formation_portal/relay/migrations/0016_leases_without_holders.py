from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("relay", "0015_drop_troubled_index")]

    operations = [
        migrations.RemoveField(model_name="delivery", name="holder"),
    ]
