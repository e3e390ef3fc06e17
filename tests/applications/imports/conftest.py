"""What the tests of sheets share with those of applications."""

from collections.abc import Callable
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.imports.uploads import read_sheet

Upload = Callable[[bytes], PartyImport]


@pytest.fixture
def upload(draft: Draft, owner: Any) -> Upload:
    """Keeps a file as the page does."""

    def keep(content: bytes) -> PartyImport:
        return services.keep_import(
            draft, read_sheet(content, keys_by_heading(draft.schema), account=owner.pk), name="people.xlsx", by=owner
        )

    return keep
