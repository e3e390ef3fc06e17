"""What confinement says of itself on a kernel without Landlock."""

import pytest

from formation_portal.documents import confinement, system_calls

from .older_kernels import run_without_landlock


@pytest.mark.skipif(not system_calls.has_filters(), reason="not run: Landlock is taken away by a filter")
def test_files_are_said_to_be_restricted_only_where_landlock_does_it() -> None:
    """Who believes otherwise leaves a task of root's the right to read every file."""
    code = "from formation_portal.documents import confinement; print(confinement._restrict_files(['/usr']))"
    assert run_without_landlock(code).stdout == "False\n"


@pytest.mark.skipif(confinement._landlock_version() < 1, reason="not run: this kernel has no Landlock")
def test_landlock_is_missed_without_it() -> None:
    code = "from formation_portal.documents import confinement; print(confinement.missing_layers())"
    assert run_without_landlock(code).stdout == "['Landlock']\n"
