"""What is kept of an invitation to fill in one's own part. What can be done with it is `parts` and `codes`."""

from django.db import models

from formation_portal.applications.models import Application, Party
from formation_portal.applications.tokens import new_token


class Invitation(models.Model):
    """One party's own part of an application, for whoever it was sent to. There is one a party: sending it again gives
    it another key, and counts `round` up, so that whatever was opened with an earlier one is shut.

    `reference` names it in addresses and opens nothing. Neither key nor code is kept, only their digests.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="invitations")
    party = models.OneToOneField(Party, models.CASCADE, related_name="invitation")
    reference = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    email = models.EmailField()
    language = models.CharField(max_length=12)
    key_digest = models.CharField(max_length=64, unique=True)
    round = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    nudged_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    begun_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    # When whoever was invited asked for another link, this one having expired.
    wanted_at = models.DateTimeField(null=True, blank=True)
    # The code of the moment, how often it was guessed, and how many were sent since the day began for it.
    code_digest = models.CharField(max_length=64, blank=True)
    code_sent_at = models.DateTimeField(null=True, blank=True)
    code_tries = models.PositiveSmallIntegerField(default=0)
    codes_since = models.DateTimeField(null=True, blank=True)
    codes_sent = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.reference
