"""What the history and the record say of share classes."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import readback
from tests import factories

pytestmark = pytest.mark.django_db


def test_the_history_names_a_share_class_that_was_removed_and_what_it_held(complete: Draft, owner: Any) -> None:
    services.remove_share_class(complete, complete.share_classes[0], by=owner)
    entry = complete.application.changes.first()
    assert entry is not None
    assert (entry.what, entry.holder) == ("Removed the share class Ordinary", "ordinary")
    assert [(one["before"], one["after"]) for one in entry.changes][:2] == [("Ordinary", None), ("USD", None)]


def test_an_answer_that_names_a_share_class_reads_as_its_name(complete: Draft, owner: Any) -> None:
    (party,), (share_class,) = complete.parties, complete.share_classes
    answer = {"xy.person.appointed_by": share_class.token}
    services.save_party(complete, party, answer, version=party.version, by=owner)
    [group] = readback(factories.again(complete)).parties
    [line] = [line for line in group.lines if line.spec.name == "xy.person.appointed_by"]
    assert line.value == "Ordinary"
