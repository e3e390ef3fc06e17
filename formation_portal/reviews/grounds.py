"""Why an application is declined: for us and for our figures. Its customer reads what the agent writes."""

from django.db import models


class Ground(models.TextChoices):
    """The reasons to choose from; what is kept is the code."""

    IDENTITY = "identity", "Identity could not be verified"
    DOCUMENTS = "documents", "False or borrowed documents"
    FUNDS = "funds", "Source of funds unclear"
    OWNERSHIP = "ownership", "Ownership or control unclear"
    SANCTIONS = "sanctions", "Sanctions match"
    ACTIVITY = "activity", "Activity we do not accept"
    SILENCE = "silence", "Customer does not reply"
    OTHER = "other", "Other"
