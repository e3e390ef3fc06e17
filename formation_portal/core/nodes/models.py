"""Rows that all nodes share: secrets that were made here, encrypted, and what the last migration and start recorded."""

from django.db import models
from django.utils import timezone


class Secret(models.Model):
    """One secret, encrypted by SECRETS_KEY (`secret_store.py`)."""

    name = models.CharField(max_length=100, primary_key=True)
    sealed = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Installation(models.Model):
    """The only row: the version that migrated the databases last (`versions.py`), and digests of the secrets with which
    nodes have started (`startup.py`)."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    version = models.CharField(max_length=60)
    migrated_at = models.DateTimeField(default=timezone.now)
    # By a secret's name, the digest of each of its keys.
    digests = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.version
