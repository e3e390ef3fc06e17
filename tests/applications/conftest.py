"""Files go into folders of each test's own; a director, and sheets that were uploaded."""

from collections.abc import Callable
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.imports.uploads import read_sheet
from tests import factories

Upload = Callable[[bytes], PartyImport]


@pytest.fixture(autouse=True)
def _files_go_nowhere_else(own_folders: None) -> None:
    """For every test here."""


@pytest.fixture
def ada(draft: Draft, owner: Any) -> Any:
    """A director of the draft."""
    return services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="ada")


@pytest.fixture
def upload(draft: Draft, owner: Any) -> Upload:
    """Keeps a sheet as the page does."""

    def keep(content: bytes) -> PartyImport:
        grid = read_sheet(content, keys_by_heading(draft.schema), account=owner.pk)
        return services.keep_import(draft, grid, name="people.xlsx", by=owner)

    return keep
