"""The portal's own settings for a campaign: time passes sixty times as fast, and faults may be ordered."""

from formation_portal.settings import *  # noqa: F403
from formation_portal.settings import DATA_DIR, ENV, STORAGES

RELAY_PACE = 1 / 60
# How long the service keeps the key of a request that has died: two minutes, scaled like everything else.
SERVICE_GIVEN_UP_SECONDS = 2
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "testserver"]

# One file for all processes: opened before they are forked, each line in one write.
LOG_FILE = DATA_DIR / "log"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(process)d %(levelname)s %(name)s %(message)s"}},
    "handlers": {"file": {"class": "logging.FileHandler", "filename": str(LOG_FILE), "formatter": "line"}},
    "root": {"handlers": ["file"], "level": ENV.log_level},
    "loggers": {"django": {"level": "ERROR"}},
}
