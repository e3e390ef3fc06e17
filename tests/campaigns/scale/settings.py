"""The portal's own settings, for whoever prepares and compares: nobody serves with them."""

from formation_portal.settings import *  # noqa: F403
from formation_portal.settings import LOGGING, STORAGES

PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
LOGGING = LOGGING | {"root": {"handlers": ["stderr"], "level": "ERROR"}}
