"""Share classes and the grid of holdings."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Holding
from formation_portal.applications.readback import readback
from formation_portal.applications.services.shares import parse_shares
from formation_portal.applications.services.transactions import OtherVersion
from tests import factories

ADAS = ("ada", "ordinary")


@pytest.mark.parametrize(
    ("typed", "shares"),
    [
        ("10,000", 10_000),
        ("1.234.567", 1_234_567),
        ("10.000", None),
        (" 5 ", 5),
        ("0", 0),
        ("1.5", None),
        ("-3", None),
        ("some", None),
        ("9" * 30, None),
    ],
)
def test_a_number_of_shares_is_read_as_people_write_it(typed: str, shares: int | None) -> None:
    assert parse_shares(typed) == shares


def test_a_number_is_kept_as_typed_and_an_emptied_one_is_gone_and_others_stay(complete: Draft, owner: Any) -> None:
    services.add_share_class(complete, factories.ORDINARY | {"share_class.name": "B"}, by=owner, token="b")
    services.save_holdings(complete, {ADAS: "about 5"}, by=owner)
    kept = factories.again(complete)
    assert (kept.typed_holdings(), kept.record.holdings) == ({ADAS: "about 5"}, ())
    services.save_holdings(complete, {("ada", "b"): "7"}, by=owner)
    services.save_holdings(complete, {ADAS: " "}, by=owner)
    assert factories.again(complete).typed_holdings() == {("ada", "b"): "7"}
    # No cell that is another customer's.
    services.save_holdings(complete, {("ada", "nothing"): "7", ("nobody", "nothing"): "8"}, by=owner)
    assert Holding.objects.count() == 1


def test_a_stale_save_of_the_grid_or_of_a_class_is_refused_with_both_texts(complete: Draft, owner: Any) -> None:
    seen, (row,) = complete.version("share-classes"), complete.share_classes
    services.save_holdings(complete, {ADAS: "20"}, by=owner, version=seen)
    result = services.save_holdings(complete, {ADAS: "30"}, by=owner, version=seen)
    assert result.conflicts == {ADAS: OtherVersion("30", "20")}
    services.save_share_class(complete, row, {"share_class.name": "A"}, version=1, by=owner)
    result = services.save_share_class(complete, row, {"share_class.name": "B"}, version=1, by=owner)
    assert result.conflicts.keys() == {"share_class.name"}
    kept = factories.again(complete)
    assert (kept.typed_holdings()[ADAS], kept.share_classes[0].label) == ("20", "A")


def test_an_answer_that_names_a_class_reads_as_its_name_and_is_asked_again_when_the_class_is_removed(
    complete: Draft, owner: Any
) -> None:
    (party,), (share_class,) = complete.parties, complete.share_classes
    answer = {"xy.person.appointed_by": share_class.token}
    services.save_party(complete, party, answer, version=party.version, by=owner)
    assert complete.needs == ()
    [group] = readback(factories.again(complete)).parties
    assert [line.value for line in group.lines if line.spec.name == "xy.person.appointed_by"] == ["Ordinary"]
    answers = complete.answers_naming(share_class)
    assert [(label, spec.name) for label, spec in answers] == [("Ada Lovelace", "xy.person.appointed_by")]
    services.remove_share_class(complete, share_class, by=owner)
    assert not complete.holdings
    problem = factories.again(complete).parties[0].record.answers.problems["xy.person.appointed_by"]
    assert problem.code == "share_class_gone"
    entry = complete.application.changes.first()
    assert (entry.what, entry.holder) == ("Removed the share class Ordinary", "ordinary")
    assert [(change["before"], change["after"]) for change in entry.changes][:2] == [("Ordinary", None), ("USD", None)]
