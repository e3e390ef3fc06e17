"""`manage.py check_catalog` lists what the schemas at hand get wrong, and fails where a product can't be offered."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.other_service import OtherService
from tests.other_service.schema_builders import NAME, ask, entity, item, schema
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


def test_each_rule_across_answers_is_tried_and_a_wrong_one_is_a_warning_alone(at_other_service: OtherService) -> None:
    form = schema("Form", entity("About", ask("size", "Size", "select", options=["Small", "Large"])))
    rules = {
        "Never holds": 'entity["lark.size"] == "Huge"',
        "Never judged": '"x".matches("(")',
        "Never fails": '"lark.size" in entity',
        "Misses a name": 'entity.colour == "Red"',
        "Too long": "true && " * 125 + "true",
        "In order": 'entity["lark.size"] == "Small"',
    }
    form["validations"] = [{"rule": rule, "message": name, "field": "size"} for name, rule in rules.items()]
    at_other_service.catalog = [item("a", "Company", form)]

    output, code = check()

    assert code == 0
    assert output.splitlines() == [
        "Company (a)",
        "  warning: Validation 4 (“Misses a name”) reads “colour”, but no question has this name; it is not judged",
        "  warning: Validation 5 (“Too long”) is left out: it has more than 1000 characters",
        "  warning: The validation “Never holds” held in none of 100 example applications",
        "  warning: The validation “Never judged” was judged in none of 100 example applications: "
        "invalid regular expression: missing ): (",
        '  warning: The validation “Misses a name” was judged in none of 100 example applications: "colour" is missing',
        "  note: The validation “Never fails” held in each of 100 example applications that it judges",
        "1 product, 0 unavailable, 5 warnings",
    ]
