"""Everything that is logged, as it is written with LOG_FORMAT=json."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

from formation_portal.core.monitoring.logs import JsonFormatter

Lines = Callable[[], list[dict[str, Any]]]


@contextmanager
def json_lines() -> Iterator[Lines]:
    """Reads the lines of the block so far."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel("INFO")
    try:
        yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
