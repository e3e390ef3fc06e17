"""Whatever arrives as a catalog: it is read, checked and judged without a crash, one item at a time."""

import copy
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from formation_portal.contract.catalog import BrokenItem, CatalogItem, parse_catalog
from formation_portal.contract.needs import needs
from formation_portal.contract.record import Party, Record, validate
from formation_portal.contract.rules import evaluate
from formation_portal.contract.schema_check import check_schema
from tests import payloads
from tests.strategies import schemas

any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def malformed_items(draw: st.DrawFn) -> Any:
    """A catalog item in which something, somewhere, is not what it should be."""
    schema = copy.deepcopy(draw(schemas()))
    item: Any = {"jurisdiction_product_id": "1", "product": {"name": "P"}, "schema": schema}
    for _ in range(draw(st.integers(1, 3))):
        node, holder, key = item, None, None
        for _ in range(draw(st.integers(1, 6))):
            if isinstance(node, dict) and node:
                holder, key = node, draw(st.sampled_from(sorted(node)))
            elif isinstance(node, list) and node:
                holder, key = node, draw(st.integers(0, len(node) - 1))
            else:
                break
            node = holder[key]
        if holder is not None:
            holder[key] = draw(any_json)
    return item


def _asking(question: Any) -> Any:
    return {"jurisdiction_product_id": "1", "schema": {"sections": [{"id": "s", "title": "S", "fields": [question]}]}}


@settings(max_examples=120)
@given(st.one_of(any_json, malformed_items()), any_json)
@example(_asking({"key": "e0", "field_type": ["text"]}), None)
def test_a_catalog_item_is_read_or_named_broken(item: Any, answer: Any) -> None:
    (read,) = parse_catalog([item])
    if isinstance(read, BrokenItem):
        assert read.name
        assert read.reason
        return
    assert isinstance(read, CatalogItem)
    if check_schema(read.form).faults:
        return
    roles = tuple(section.role for section in read.form.role_sections if section.role)
    fields = read.form.fields_of("person", roles)
    party = Party("p", "person", roles, validate(fields, {spec.name: answer for spec in fields}), "Ada")
    raw = {spec.name: answer for spec in read.form.entity_fields}
    record = Record(validate(read.form.entity_fields, raw), (party,))
    form_state = evaluate(read.form, record)
    assert all(need.text for need in needs(read.form, record, form_state=form_state))
    assert isinstance(payloads.entity_properties(form_state), dict)
    assert isinstance(payloads.party_body(form_state, party), dict)
    assert all(question.activation.reason is not None for question in form_state.party_questions(party))
