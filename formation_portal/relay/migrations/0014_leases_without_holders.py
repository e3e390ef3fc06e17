from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("relay", "0013_entity_readings")]

    operations = [
        migrations.RemoveField(model_name="delivery", name="holder"),
    ]
