"""What is carried over is accepted by the other schema's own judgement, and nothing else is carried."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.transfer import Transfer, plan_transfer
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.record import Answers, Holder, validate
from formation_portal.contract.schema import FormSchema
from tests import factories
from tests.applications.draft_strategies import drafts
from tests.strategies import schemas

NEEDED_ANYWHERE = {"required", "minimum", "document", "share_class", "holding"}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Draft, FormSchema]:
    """A draft, and another schema that has some questions of the same names: alike, or quite different ones."""
    document = draw(schemas())
    other = draw(st.one_of(schemas(), st.just(document)))
    return draw(drafts(FormSchema.model_validate(document))), FormSchema.model_validate(other)


def holders(draft: Draft, there: FormSchema, found: Transfer) -> Iterator[tuple[Any, Answers, Answers, Any, Any]]:
    """Whose answers are carried: what is carried, as read here and there, and the questions there."""
    entity = found.content.entity
    yield entity, draft.record.answers, validate(there.entity_fields, entity), there.entity_fields, None
    for new in found.content.parties:
        record, fields = draft.party(new.token).record, there.fields_of(new.kind, new.roles)
        yield new.raw, record.answers, validate(fields, new.raw), fields, record
    fields = there.share_class_fields
    for share in found.content.share_classes:
        record = draft.share_class(share.token).record
        yield share.raw, record.answers, validate(fields, share.raw), fields, record


def asked(draft: Draft, holder: Holder) -> set[str]:
    """The names of the questions that are asked of the holder at present."""
    if holder is None:
        questions = [one for section in draft.schema.entity_sections for one in draft.form_state.questions(section)]
    elif hasattr(holder, "kind"):
        questions = list(draft.form_state.party_questions(holder))
    else:
        questions = list(draft.form_state.questions(draft.schema.share_section, holder))
    return {question.spec.name for question in questions if question.activation.active}


@given(pairs())
def test_only_what_was_typed_and_is_asked_here_is_carried_and_is_read_there_as_the_same_values(
    pair: tuple[Draft, FormSchema],
) -> None:
    draft, there = pair
    for raw, here, read, fields, holder in holders(draft, there, plan_transfer(draft, schema=there)):
        assert not read.problems
        assert dict(read.values) == {name: here.values[name] for name in raw}
        assert raw.keys() <= {spec.canonical_field for spec in fields} & asked(draft, holder)
        row = holder and (draft.party(holder.id) or draft.share_class(holder.id))
        typed = draft.entity_raw if row is None else row.raw
        assert raw == {name: typed[name] for name in raw}


@given(pairs())
def test_the_other_schema_objects_to_nothing_that_is_carried_and_the_rest_is_listed_with_a_reason(
    pair: tuple[Draft, FormSchema],
) -> None:
    draft, there = pair
    found = plan_transfer(draft, schema=there)
    assert {need.code for need in found.needed} <= NEEDED_ANYWHERE
    for party in found.content.parties:
        assert party.roles
        for role in party.roles:
            assert there.sections_of((role,))
            assert all(section.allows(party.kind) for section in there.sections_of((role,)))
    parties = {party.token: party for party in found.content.parties}
    classes = {share_class.token for share_class in found.content.share_classes}
    for party_token, class_token in found.content.holdings:
        assert "shareholder" in parties[party_token].roles
        assert class_token in classes
    for document in found.content.documents:
        party = parties[document.party.token]
        slots = [slot for section in there.sections_of(party.roles) for slot in section.slots(party.kind)]
        assert document.slot in {slot.name for slot in slots}
    assert all(line.reason for line in found.misfits)
    lines = [*found.fits, *found.misfits]
    answered = {*draft.record.answers.values, *draft.record.answers.problems}
    assert sum(line.holder == draft.title for line in lines) == len(answered)
    left_behind = sum(line.words == "passport.pdf" for line in found.misfits)
    assert len(found.content.documents) + left_behind == len(draft.documents)
    assert sum(line.what.startswith("Shares, ") for line in lines) == len(draft.holdings)


# The small product, and another that asks some of the same.


def elsewhere(**changes: Any) -> CatalogItem:
    """Another product: no companies as directors, no managers, other options, one more question."""
    name = factories.field("name", canonical_field="entity.name")
    kind = factories.field("kind", "select", canonical_field="entity.kind", options=["Trading", "Banking"])
    extra = factories.field("tax", prefix="zz")
    directors = {**factories.SCHEMA["sections"][2], "allows_corporate": False}
    sections = [{"scope": "entity", "title": "Elsewhere", "fields": [name, kind, extra]}, directors]
    schema = {**factories.SCHEMA, "id": "elsewhere", "sections": sections}
    return factories.product(jurisdiction_product_id="elsewhere", schema=schema, **changes)


@pytest.mark.django_db
def test_a_new_draft_there_has_what_fits_and_nothing_else(complete: Draft, owner: Any) -> None:
    services.add_party(complete, "corporate", ["director"], {"corporate.name": "Byron Ltd"}, by=owner)
    item, before = elsewhere(), factories.entered(complete)
    found = plan_transfer(complete, schema=item.form)
    reasons = {(line.holder, line.what, line.words): line.reason for line in found.misfits}
    assert reasons["Larkfield Holdings", "Activity", "Holding company"] == "Question not asked"
    assert reasons["Ada Lovelace", "Role", "shareholder"] == "No matching role"
    assert reasons["Ada Lovelace", "Shares, Ordinary", "10,000"] == "The new company type has no share classes"
    assert "This company can’t have that role there" in reasons.values()
    assert [need.text for need in found.needed if need.section == "elsewhere"] == ["Choose “Kind”", "Enter “Tax”"]
    started = services.create_from(complete, item=item, content=found.content, by=owner)
    there = factories.again(open_draft(started))
    assert there.entity_raw == {"entity.name": "Larkfield Holdings"}
    [ada] = there.parties
    assert (ada.roles, ada.label) == (("director",), "Ada Lovelace")
    assert "xy.person.is_pep" not in ada.raw
    assert [document.slot for document in there.documents] == ["Passport"]
    assert (there.share_classes, there.holdings) == ((), {})
    assert [need.text for need in there.needs] == [need.text for need in found.needed]
    [entry] = started.changes.all()
    assert entry.what == f"Started with answers from {complete.application.reference}"
    complete.reload()
    assert factories.entered(complete) == before
