"""What the tests of sheets share with those of applications."""

from collections.abc import Callable
from typing import Any

import pytest

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft
from formation_portal.applications.spreadsheet.columns import headings
from formation_portal.applications.spreadsheet.models import PartyImport
from formation_portal.applications.spreadsheet.opening import read_sheet

Upload = Callable[[bytes], PartyImport]


@pytest.fixture
def upload(draft: Draft, owner: Any) -> Upload:
    """Keeps a file as the page does."""

    def keep(content: bytes) -> PartyImport:
        return saving.keep_import(
            draft, read_sheet(content, headings(draft.schema), account=owner.pk), name="people.xlsx", by=owner
        )

    return keep
