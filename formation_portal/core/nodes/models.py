"""What nodes share in the portal's database: secrets that were made here, encrypted, what each node is, and which
version migrated last."""

from django.db import models


class Secret(models.Model):
    """One secret, encrypted by SECRETS_KEY (`secret_store.py`)."""

    name = models.CharField(max_length=100, primary_key=True)
    sealed = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Node(models.Model):
    """A machine with a DATA_DIR of its own that runs the portal, as it described itself last (`registry.py`)."""

    name = models.CharField(max_length=300, primary_key=True)
    # Of its code.
    version = models.CharField(max_length=40)
    # The migrations that its code knows.
    schema = models.CharField(max_length=40)
    # Digests of what has to be the same everywhere, by its name.
    digests = models.JSONField()
    # Seconds by which its clock was ahead of the database's.
    clock_ahead = models.FloatField()
    # By the database's clock.
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class LastMigration(models.Model):
    """The version of the portal that migrated the databases last, in a single row (`versions.py`)."""

    id = models.PositiveSmallIntegerField(primary_key=True)
    version = models.CharField(max_length=60)
    migrated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.version
