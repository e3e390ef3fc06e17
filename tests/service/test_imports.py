"""The service meets nobody but the contract: whatever else it imports comes from outside the house."""

import ast
from collections.abc import Iterator
from pathlib import Path

import formation_portal.service
from tests.test_house import BELOW_ALL

HOUSE = "formation_portal"
SERVICE = Path(formation_portal.service.__file__).parent
# Its own, the contract, and what every package may use.
ALLOWED = tuple(f"{HOUSE}.{name}" for name in ("service", "contract", *sorted(BELOW_ALL)))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inside = path.relative_to(SERVICE.parent).parent.parts
            assert node.level <= len(inside), f"{path} reaches out of the service"


def test_the_service_imports_nothing_of_the_portal() -> None:
    files = list(SERVICE.rglob("*.py"))
    assert len(files) > 30
    reached = {
        (path.name, name)
        for path in files
        for name in imported(path)
        if name.partition(".")[0] == HOUSE and not name.startswith(ALLOWED)
    }
    assert reached == set()
