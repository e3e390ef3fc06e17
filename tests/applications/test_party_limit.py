"""An application has at most 200 people and companies; one that has more already goes on."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.services.party_imports import RowAction
from formation_portal.applications.transfer import content_of
from formation_portal.contract.lifecycle import State
from tests import factories
from tests.applications.conftest import Upload
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, as_csv

pytestmark = pytest.mark.django_db

FULL = "An application can have at most 200 people and companies. Remove 1 before you add another"


def names(draft: Draft) -> list[str]:
    return [row.label for row in factories.again(draft).parties]


def history(draft: Draft) -> list[str]:
    return [str(change) for change in factories.again(draft).application.changes.order_by("pk")]


def test_the_two_hundredth_is_added_and_one_more_is_refused(draft: Draft, owner: Any) -> None:
    crowded = factories.add_people(draft, 199)
    for _ in range(2):
        services.add_party(crowded, "person", ["director"], factories.ADA, by=owner, token="pagetoken1")
    before = history(draft)
    with pytest.raises(services.TooManyParties, match=FULL):
        services.add_party(factories.again(draft), "corporate", ["director"], {}, by=owner)
    assert len(names(draft)) == 200
    assert names(draft)[-1] == "Ada Lovelace"
    assert history(draft) == before


def test_one_is_removed_before_another_is_restored(draft: Draft, owner: Any) -> None:
    crowded = factories.add_people(draft, 200)
    services.remove_party(crowded, crowded.parties[7], by=owner)
    services.add_party(crowded, "person", ["director"], factories.ADA, by=owner)
    with pytest.raises(services.TooManyParties, match=FULL):
        services.restore_party(crowded, "crowd7", by=owner)
    assert "Given7 Family7" not in names(draft)
    services.remove_party(crowded, crowded.parties[8], by=owner)
    services.restore_party(crowded, "crowd7", by=owner)
    assert "Given7 Family7" in names(draft)
    assert len(names(draft)) == 200


def test_a_sheet_that_would_pass_the_limit_is_refused_whole(draft: Draft, upload: Upload, owner: Any) -> None:
    found = upload(as_csv(HEADS, ADA, NOOR))
    crowded = factories.add_people(draft, 199)
    rows, before = services.import_rows(crowded, found), history(draft)
    words = "An application can have at most 200 people and companies. You can add 1 more"
    with pytest.raises(services.TooManyParties, match=words):
        services.apply_import(crowded, found, {row.token: RowAction.ADD for row in rows}, by=owner)
    assert len(names(draft)) == 199
    assert history(draft) == before
    taken = services.apply_import(factories.again(draft), found, {rows[1].token: RowAction.ADD}, by=owner)
    assert (taken.added, taken.is_all) == (1, False)
    assert names(draft)[-1] == "Noor Haddad"


def test_a_sheet_that_only_completes_somebody_is_taken_where_there_are_too_many(
    draft: Draft, upload: Upload, owner: Any
) -> None:
    known = {"person.first_name": "Ada", "person.last_name": "Lovelace"}
    services.add_party(draft, "person", ["director"], known, by=owner, token="ada")
    found = upload(as_csv(HEADS, (*ADA[:2], "x", *ADA[3:])))
    crowded = factories.add_people(draft, 230)
    [row] = services.import_rows(crowded, found)
    assert services.apply_import(crowded, found, {row.token: RowAction.MERGE}, by=owner).merged == 1
    assert factories.again(draft).party("ada").roles == ("director", "shareholder")


def test_an_application_that_has_more_can_be_corrected_and_submitted(complete: Draft, owner: Any) -> None:
    crowded = factories.add_people(complete, 230)
    party = crowded.parties[229]
    services.save_party(crowded, party, {"person.first_name": "Grace"}, version=party.version, by=owner)
    assert names(complete)[229] == "Grace Family229"
    words = "An application can have at most 200 people and companies. Remove 31 before you add another"
    with pytest.raises(services.TooManyParties, match=words):
        services.add_party(crowded, "person", ["director"], factories.ADA, by=owner)
    for row in factories.again(complete).parties[1:]:
        row.model.raw = factories.ADA | row.model.raw
        row.model.roles = []
        row.model.save()
    services.submit(factories.again(complete), by=owner, declaration="I declare it.")
    submitted = factories.again(complete)
    assert submitted.application.state == State.SUBMITTED_FOR_REVIEW
    assert len(submitted.parties) == 230


def test_a_copy_that_would_pass_the_limit_is_refused_whole(draft: Draft, owner: Any) -> None:
    crowded = factories.add_people(draft, 201)
    words = "This application has 201 people and companies. A new one can have at most 200."
    with pytest.raises(services.NotCopied, match=words):
        services.create_copy(crowded, by=owner)
    with pytest.raises(services.NotCopied, match=words):
        services.create_from(crowded, item=factories.product(), content=content_of(crowded), by=owner)
    assert owner.applications.count() == 1
    services.remove_party(crowded, crowded.parties[0], by=owner)
    copy = services.create_copy(factories.again(draft), by=owner)
    assert copy.parties.count() == 200
