"""Define the tables that all nodes share: encrypted secrets, and the record of the last migration and start."""

from django.db import models
from django.utils import timezone


class Secret(models.Model):
    """Hold a secret, encrypted by SECRETS_KEY (`secret_store.py`)."""

    name = models.CharField(max_length=100, primary_key=True)
    sealed = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Installation(models.Model):
    """Hold, in a single row, the version that migrated the databases last (`versions.py`) and digests of the nodes'
    secrets (`startup.py`)."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    version = models.CharField(max_length=60)
    migrated_at = models.DateTimeField(default=timezone.now)
    # The digests of a secret's keys by the secret's name.
    digests = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.version
