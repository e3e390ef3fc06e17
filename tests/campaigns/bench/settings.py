"""The portal's own settings, with one page more: it is signed in and does nothing, to compare with."""

from formation_portal.settings import *  # noqa: F403

ROOT_URLCONF = "tests.campaigns.bench.urls"
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
