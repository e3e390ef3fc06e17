"""What the tests of sheets share with those of applications."""

from collections.abc import Callable
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.grid import Grid, SheetRefused, normalized_heading
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.imports.uploads import read_sheet

from .sample_sheets import HEADS

KNOWN = {normalized_heading(heading) for heading in HEADS}
Upload = Callable[[bytes], PartyImport]


@pytest.fixture
def upload(draft: Draft, owner: Any) -> Upload:
    """Keeps a file as the page does."""

    def keep(content: bytes) -> PartyImport:
        return services.keep_import(
            draft, read_sheet(content, keys_by_heading(draft.schema), account=owner.pk), name="people.xlsx", by=owner
        )

    return keep


def read(content: bytes) -> Grid:
    """Read a file as the sheet of a small product."""
    return read_sheet(content, KNOWN, account=1)


def refusal(content: bytes) -> str:
    """Return the words with which a file is refused."""
    with pytest.raises(SheetRefused) as refused:
        read(content)
    return refused.value.message
