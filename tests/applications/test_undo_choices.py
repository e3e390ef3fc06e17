"""A choice that is taken back stands exactly as it was typed; what else was changed with it stays."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from tests import factories

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def draft(owner: Any) -> Draft:
    """Three choices of several kinds that rules read, and one that none does."""
    fields = [
        factories.field("word"),
        factories.field("places", "multi_select", options=["North", "South"]),
        factories.field("free"),
        factories.field("a", depends_on={"field": "word", "value": "Red"}),
        factories.field("b", depends_on={"field": "places", "operator": "includes_any", "value": ["South"]}),
    ]
    form = factories.SCHEMA | {"sections": [{"scope": "entity", "title": "The company", "fields": fields}]}
    return factories.new_draft(owner, schema=form)


def save(draft: Draft, owner: Any, **raw: Any) -> Change:
    answers = {f"xy.{name}": value for name, value in raw.items()}
    return factories.save_section(draft, "the-company", answers, by=owner).changes[-1]


def answers(draft: Draft) -> dict[str, Any]:
    return factories.again(draft).entity_raw


def test_it_stands_as_it_was_typed_and_the_rest_stays_and_a_second_press_does_nothing(draft: Draft, owner: Any) -> None:
    first = save(draft, owner, word="  Red ", places=["South", "North"], free="one")
    change = save(draft, owner, word="Blue", places=["North"], free="two")
    assert services.restorable_choices(draft, change) == {"xy.word": "Word", "xy.places": "Places"}
    services.restore_choices(draft, change, by=owner)
    assert answers(draft) == {"xy.word": "  Red ", "xy.places": ["South", "North"], "xy.free": "two"}
    # What was not answered before is blank again.
    for _ in range(2):
        services.restore_choices(draft, first, by=owner)
        assert answers(draft) == {"xy.free": "two"}
        assert Change.objects.count() == 5


def test_one_that_was_answered_again_stops_all_of_them_and_a_change_without_a_choice_is_none(
    draft: Draft, owner: Any
) -> None:
    change = save(draft, owner, word="Red", places=["North"])
    save(draft, owner, word="Green")
    with pytest.raises(services.Overtaken) as refusal:
        services.restore_choices(draft, change, by=owner)
    assert refusal.value.labels == ("Word",)
    assert answers(draft) == {"xy.word": "Green", "xy.places": ["North"]}
    change = save(draft, owner, free="one")
    assert services.restorable_choices(draft, change) == {}
    with pytest.raises(services.Gone):
        services.restore_choices(draft, change, by=owner)


def test_a_choice_of_a_share_class_is_taken_back_there(owner: Any) -> None:
    kinds = [factories.field("kind"), factories.field("terms", depends_on={"field": "kind", "value": "Other"})]
    classes = {"scope": "share_structure", "title": "Share classes", "fields": kinds}
    draft = factories.new_draft(owner, schema=factories.SCHEMA | {"sections": [classes]})
    row = factories.new_share_class(draft, factories.ORDINARY | {"xy.kind": "Plain"}, by=owner)
    result = services.save_share_class(draft, row, {"xy.kind": "Other"}, version=row.version, by=owner)
    services.restore_choices(draft, result.changes[-1], by=owner)
    assert factories.again(draft).share_classes[0].raw["xy.kind"] == "Plain"
