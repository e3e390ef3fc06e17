"""The tables that all nodes share."""

from django.db import models
from django.utils import timezone


class Secret(models.Model):
    """A secret that is encrypted with SECRETS_KEY (`secret_store.py`)."""

    name = models.CharField(max_length=100, primary_key=True)
    sealed = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Installation(models.Model):
    """A single row with the version that last migrated the databases, and digests of the nodes' secrets."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    version = models.CharField(max_length=60)
    migrated_at = models.DateTimeField(default=timezone.now)
    # Maps a secret's name to the digests of its keys.
    digests = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.version
