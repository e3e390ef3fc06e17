"""Share classes and the grid of holdings."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Holding
from formation_portal.applications.services.shares import parse_shares
from formation_portal.applications.services.transactions import OtherVersion
from tests import factories


@pytest.mark.parametrize(
    ("typed", "shares"),
    [("10,000", 10_000), (" 5 ", 5), ("0", 0), ("1.5", None), ("-3", None), ("some", None), ("9" * 30, None)],
)
def test_a_number_of_shares_is_read_as_people_write_it(typed: str, shares: int | None) -> None:
    assert parse_shares(typed) == shares


def test_an_unreadable_number_of_shares_is_kept_as_typed(complete: Draft, owner: Any) -> None:
    pair = next(iter(complete.holdings))
    services.save_holdings(complete, {pair: "about 5"}, by=owner)
    kept = factories.again(complete)
    assert kept.typed_holdings() == {pair: "about 5"}
    assert kept.record.holdings == ()


def test_an_emptied_cell_is_gone_and_others_stay(complete: Draft, owner: Any) -> None:
    (ada, ordinary) = next(iter(complete.holdings))
    services.add_share_class(complete, factories.ORDINARY | {"share_class.name": "B"}, by=owner, token="b")
    services.save_holdings(complete, {(ada, "b"): "7"}, by=owner)
    services.save_holdings(complete, {(ada, ordinary): " "}, by=owner)
    assert factories.again(complete).typed_holdings() == {(ada, "b"): "7"}


def test_a_stale_grid_is_refused_with_both_numbers(complete: Draft, owner: Any) -> None:
    pair = next(iter(complete.holdings))
    seen = complete.version("share-classes")
    services.save_holdings(complete, {pair: "20"}, by=owner, version=seen)
    result = services.save_holdings(complete, {pair: "30"}, by=owner, version=seen)
    assert result.conflicts == {pair: OtherVersion("30", "20")}
    assert factories.again(complete).typed_holdings()[pair] == "20"


def test_a_stale_save_of_a_class_is_refused(complete: Draft, owner: Any) -> None:
    (row,) = complete.share_classes
    services.save_share_class(complete, row, {"share_class.name": "A"}, version=1, by=owner)
    result = services.save_share_class(complete, row, {"share_class.name": "B"}, version=1, by=owner)
    assert result.conflicts.keys() == {"share_class.name"}
    assert factories.again(complete).share_classes[0].label == "A"


def test_a_reference_to_a_removed_class_must_be_chosen_again(complete: Draft, owner: Any) -> None:
    (party,), (share_class,) = complete.parties, complete.share_classes
    answer = {"xy.person.appointed_by": share_class.token}
    services.save_party(complete, party, answer, version=party.version, by=owner)
    assert complete.needs == ()
    answers = complete.answers_naming(share_class)
    assert [(label, spec.name) for label, spec in answers] == [("Ada Lovelace", "xy.person.appointed_by")]
    services.remove_share_class(complete, share_class, by=owner)
    assert not complete.holdings
    problem = factories.again(complete).parties[0].record.answers.problems["xy.person.appointed_by"]
    assert problem.code == "share_class_gone"


def test_cells_of_other_customers_are_not_taken(complete: Draft, owner: Any) -> None:
    ada, _ = next(iter(complete.holdings))
    services.save_holdings(complete, {(ada, "nothing"): "7", ("nobody", "nothing"): "8"}, by=owner)
    assert Holding.objects.count() == 1
