from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("service", "0009_first_submission")]

    operations = [
        migrations.RemoveField(model_name="eventdelivery", name="holder"),
        migrations.RemoveField(model_name="keptanswer", name="holder"),
    ]
