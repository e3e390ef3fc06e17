"""Which part of a company somebody owns. In a file of its own; found through `models`."""

from django.db import models

from .answers import AnswersField


class Stake(models.Model):
    """One owner of one company, with the part as typed. Kept here alone: the formation service has no place for it."""

    application = models.ForeignKey("applications.Application", models.CASCADE, related_name="stakes")
    company = models.ForeignKey("applications.Party", models.CASCADE, related_name="owners")
    owner = models.ForeignKey("applications.Party", models.CASCADE, related_name="stakes")
    typed = AnswersField(default=str)

    class Meta:
        app_label = "applications"
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("company", "owner"), name="one_stake_an_owner"),)

    def __str__(self) -> str:
        return f"{self.owner_id} owns a part of {self.company_id}"
