"""What is pinned for those who run the portal."""

import re
from pathlib import Path

PROJECT = Path(__file__).parents[3]
LOCK = PROJECT / "requirements.txt"


def pinned(lock: Path = LOCK) -> dict[str, str]:
    """Version by name, of a lock file."""
    return dict(re.findall(r"^([a-z0-9-]+)(?:\[[a-z0-9,-]+\])?==(\S+)", lock.read_text(), re.MULTILINE))
