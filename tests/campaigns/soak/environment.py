"""The environment of one soak, set before anything of Django is loaded."""

import os
import tempfile
from pathlib import Path

from tests.campaigns.faults.environment import Ports, free_port

# Seconds. An answer that drips in byte by byte must not hold a worker for half a minute.
_TIMES = {"CONNECT_TIMEOUT": "1", "READ_TIMEOUT": "3", "CALL_TIMEOUT": "5", "UPLOAD_TIMEOUT": "5"}


def set_up(folder: Path) -> Ports:
    """Load Django with a data folder of the soak's own; everybody's temporary files have one place in it."""
    ports = Ports(free_port(), free_port(), free_port())
    temporary = folder / "temporary"
    temporary.mkdir()
    tempfile.tempdir = str(temporary)
    os.environ |= _TIMES | {
        "DATA_DIR": str(folder),
        "TMPDIR": str(temporary),
        "DJANGO_SETTINGS_MODULE": "tests.campaigns.soak.settings",
        "FORMATION_SERVICE_URL": f"http://127.0.0.1:{ports.proxy}",
        "LOG_LEVEL": "WARNING",
        "DEMO": "false",
    }
    import django

    django.setup()
    return ports
