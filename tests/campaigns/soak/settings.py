"""The portal's own settings, as they are in production; only the log goes into a file."""

from formation_portal.settings import *  # noqa: F403
from tests.campaigns.faults.settings import LOGGING as LOGGING
