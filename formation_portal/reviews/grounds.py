"""Why an application is declined: for us and for our figures. Its customer reads what the agent writes."""

from django.db import models


class Ground(models.TextChoices):
    """The reasons to choose from; what is kept is the code."""

    IDENTITY = "identity", "Somebody's identity could not be established"
    DOCUMENTS = "documents", "Documents are false, or not theirs"
    FUNDS = "funds", "Where the money comes from is not clear"
    OWNERSHIP = "ownership", "Who owns or controls it is not clear"
    SANCTIONS = "sanctions", "Somebody is on a list of sanctions"
    ACTIVITY = "activity", "We do not take this activity"
    SILENCE = "silence", "The customer does not answer"
    OTHER = "other", "Something else"
