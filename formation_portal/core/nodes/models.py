"""The tables that all nodes share."""

from django.db import models
from django.utils import timezone


class Secret(models.Model):
    """A secret, encrypted by SECRETS_KEY (`secret_store.py`)."""

    name = models.CharField(max_length=100, primary_key=True)
    sealed = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Installation(models.Model):
    """The single row of the version that migrated the databases last, and of digests of the nodes' secrets."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    version = models.CharField(max_length=60)
    migrated_at = models.DateTimeField(default=timezone.now)
    # The digests of a secret's keys by the secret's name.
    digests = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.version
