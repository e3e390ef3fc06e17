"""The table of erased figures. All other figures are counted from the history and the queries."""

from django.db import models

from formation_portal.applications.models import Application


class ErasedFigures(models.Model):
    """The figures of an erased application or of its erased parties, as `figures.to_json` writes them. The row
    without an application sums the figures that were erased before this table existed."""

    application = models.OneToOneField(Application, models.CASCADE, null=True, related_name="+")
    figures = models.JSONField(default=list)
    # The latest day of these figures.
    last_day = models.DateField(db_index=True)

    def __str__(self) -> str:
        return f"Erased figures of {self.application_id or 'older cases'}"
