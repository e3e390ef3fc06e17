"""The portal's settings, with each hash of a password counted (guessing.py)."""

from formation_portal.settings import *  # noqa: F403

PASSWORD_HASHERS = ["tests.accounts.guessing.CountingHasher"]
