"""A chain of some entries with its anchor, in a file of the test's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from formation_portal.applications.models import Application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction

Append = Callable[[int], None]


@pytest.fixture(autouse=True)
def anchor_file(settings: Any, tmp_path: Path) -> Path:
    settings.AUDIT_ANCHOR = tmp_path / "anchor"
    return tmp_path / "anchor"


@pytest.fixture
def append(agent: Any, django_capture_on_commit_callbacks: Any) -> Append:
    def append_entries(count: int) -> None:
        about = Application(pk=7, reference="FP-7K3M-92QX-4TBD")
        for number in range(count):
            with django_capture_on_commit_callbacks(execute=True):
                chain.append(AuditAction.LOOK, by=agent, application=about, subject=number, way="page", page=number)

    return append_entries
