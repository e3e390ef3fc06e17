"""The portal's own settings; with HURRIED a relay whose leases and settle times pass sixty times as fast."""

import os

from formation_portal.settings import *  # noqa: F403
from formation_portal.settings import STORAGES

RELAY_PACE = 1 / 60 if os.environ.get("HURRIED") else 1.0
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "testserver"]
