"""Reads files as sheets of the small product."""

import pytest

from formation_portal.applications.imports.grid import Grid, SheetRefused, normalized_heading
from formation_portal.applications.imports.uploads import read_sheet

from .sample_sheets import HEADS

KNOWN = {normalized_heading(heading) for heading in HEADS}


def read(content: bytes) -> Grid:
    """Read a file as the sheet of a small product."""
    return read_sheet(content, KNOWN, account=1)


def refusal(content: bytes) -> str:
    """Return the words with which a file is refused."""
    with pytest.raises(SheetRefused) as refused:
        read(content)
    return refused.value.message
