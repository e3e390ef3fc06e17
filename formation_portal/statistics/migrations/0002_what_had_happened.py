from django.db import migrations


class Migration(migrations.Migration):
    """Once filled the totals from the history, which is read where they are shown by now."""

    dependencies = [
        ("applications", "0009_history_in_every_language"),
        ("figures", "0001_totals"),
        ("reviews", "0001_record_of_reviews"),
    ]

    operations = []
