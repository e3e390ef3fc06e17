"""The table of the statistics. All other figures are read from the history and the queries."""

from django.db import models

from formation_portal.applications.models import Application


class ErasedFigures(models.Model):
    """The figures of erased rows, as `figures.to_json` writes them: of an application, or of its erased parties. The
    row without an application sums what was erased before this table was there."""

    application = models.OneToOneField(Application, models.CASCADE, null=True, related_name="+")
    figures = models.JSONField(default=list)
    # The newest day of these figures.
    last_day = models.DateField(db_index=True)

    def __str__(self) -> str:
        return f"Erased figures of {self.application_id or 'older cases'}"
