"""`manage.py check_catalog` lists what the schemas at hand get wrong, and fails where a product can't be offered."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.other_service import OtherService
from tests.other_service.schema_builders import NAME, entity, item, schema
from tests.other_service.schemas import FAULTY, MARK_UP, USABLE


def check() -> tuple[str, int]:
    """What it says, and the exit code."""
    output = StringIO()
    try:
        call_command("check_catalog", stdout=output, no_color=True)
    except SystemExit as end:
        return output.getvalue(), int(str(end.code))
    return output.getvalue(), 0


def test_faults_and_warnings_are_listed_and_warnings_alone_are_no_failure(at_other_service: OtherService) -> None:
    output, code = check()
    assert code == 1
    for words in (
        "fault: The rules form a circle: one / entity / a → two / entity / b → one / entity / a",
        "fault: The catalog entry cannot be read, at jurisdiction_product_id: It is missing",
        "warning: “Colour of the seal” has the unknown type “colour”",
        "Company with warnings (warned)\n",
        "note: “Protectors” asks for the role “protector”, which the interface doesn't name",
    ):
        assert words in output
    of_every_kind = output.partition("Company of every kind")[2].split("Company")[0]
    assert "note: “Council” asks for the role “council”" in of_every_kind
    assert "fault" not in of_every_kind
    assert "warning" not in of_every_kind
    assert f"{len(USABLE) + len(FAULTY) + 3} products, {len(FAULTY) + 3} unavailable" in output
    at_other_service.catalog = list(USABLE)
    output, code = check()
    assert code == 0
    assert f"{len(USABLE)} products, 0 unavailable, 11 warnings" in output
    at_other_service.catalog = [
        item("a", f"\x1b[2J{MARK_UP}\r", schema("Form", entity("x\x1b]0;y\x07"), entity("E", NAME)))
    ]
    output, _ = check()
    assert not {"\x1b", "\r"} & set(output), "text from the service does not steer the terminal"
    assert "?[2J<script>" in output


def test_without_a_catalog_it_fails_with_one_clear_line(at_other_service: OtherService) -> None:
    at_other_service.key = "another"
    words = r"does not accept the portal's key \(401: Who are you\?\)"
    with pytest.raises(CommandError, match=f"No catalog from {at_other_service.url}: .*{words}"):
        call_command("check_catalog")
    at_other_service.stop()
    with pytest.raises(CommandError, match="cannot be reached"):
        call_command("check_catalog")
