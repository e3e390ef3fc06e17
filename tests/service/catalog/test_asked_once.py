"""Nobody is asked the same thing twice in one application (WCAG 3.3.7): what is shared is one answer, drawn once."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from formation_portal.contract.record import Party, Record, validate
from formation_portal.contract.rules import evaluate
from formation_portal.contract.schema import FormSchema
from tests.embedded_catalog import catalog_items

ITEMS = {item["product"]["slug"]: item for item in catalog_items()}


@pytest.mark.parametrize("slug", ITEMS)
def test_no_question_about_the_entity_stands_in_two_sections(slug: str) -> None:
    schema = _schema(slug)
    asked = Counter(spec.name for section in schema.entity_sections for spec in section.fields)
    assert [name for name, times in asked.items() if times > 1] == []
    labels = Counter(spec.label for section in schema.entity_sections for spec in section.fields)
    assert [label for label, times in labels.items() if times > 1] == []


@pytest.mark.parametrize("slug", ITEMS)
def test_whoever_has_two_roles_is_asked_once(slug: str) -> None:
    schema = _schema(slug)
    roles = [str(section.role) for section in schema.role_sections]
    for kind in ("person", "corporate", "foundation"):
        for pair in combinations(roles, 2):
            fields = schema.fields_of(kind, pair)
            party = Party("party", kind, pair, validate(fields, {}), "Ada")
            record = Record(validate(schema.entity_fields, {}), (party,))
            questions = evaluate(schema, record).party_questions(party)
            assert max(Counter(one.spec.name for one in questions).values(), default=0) <= 1
            slots = evaluate(schema, record).slots(party)
            assert max(Counter(one.name for one in slots).values(), default=0) <= 1


def _schema(slug: str) -> Any:
    return FormSchema.model_validate(ITEMS[slug]["schema"])
