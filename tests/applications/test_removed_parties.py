"""A removed party counts nowhere, comes back as it was, and is deleted when the application is submitted."""

from pathlib import Path
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change, Document, Party
from formation_portal.applications.readback import readback
from tests import factories


def with_grace(draft: Draft, owner: Any) -> Party:
    """Somebody else in both roles, so that the first can go."""
    grace = factories.ADA | {
        "person.first_name": "Grace",
        "person.last_name": "Hopper",
        "person.email": "g@example.com",
    }
    party = services.add_party(draft, "person", ["director", "shareholder"], grace, by=owner, token="grace")
    services.save_holdings(draft, {("grace", draft.share_classes[0].token): "5"}, by=owner)
    services.add_document(draft, party, "Passport", factories.upload(), by=owner)
    assert draft.needs == ()
    return party


def test_a_removed_party_counts_nowhere(complete: Draft, owner: Any) -> None:
    ada = complete.parties[0]
    services.remove_party(complete, ada, by=owner)
    for draft in (complete, factories.again(complete)):
        assert (draft.parties, draft.holdings, draft.documents) == ((), {}, [])
        assert draft.record.parties == ()
        assert draft.record.documents == frozenset()
        assert "Add 1 more under “Directors” (at least 1)" in {need.text for need in draft.needs}
        assert readback(draft).parties == ()
        assert [row.label for row in draft.removed_parties] == ["Ada Lovelace"]
    change = Change.objects.first()
    assert change is not None
    assert {"field": "person.last_name", "label": "Last name", "before": "Lovelace", "after": None} in change.changes


def test_a_restored_party_is_as_it_was(complete: Draft, owner: Any) -> None:
    before = factories.again(complete)
    assert (len(before.parties), len(before.holdings), len(before.documents)) == (1, 1, 1)
    services.remove_party(complete, complete.parties[0], by=owner)
    services.restore_party(complete, before.parties[0].token, by=owner)
    for draft in (complete, factories.again(complete)):
        assert draft.record == before.record
        assert draft.typed_holdings() == before.typed_holdings()
        assert [one.pk for one in draft.documents] == [one.pk for one in before.documents]
        assert (draft.needs, draft.removed_parties) == ((), ())
    assert Path(complete.documents[0].file.path).exists()
    assert [one.what for one in Change.objects.all()[:2]] == ["Restored Ada Lovelace", "Removed Ada Lovelace"]


def test_submitting_deletes_what_was_removed_for_good(
    complete: Draft, owner: Any, django_capture_on_commit_callbacks: Any
) -> None:
    grace = with_grace(complete, owner)
    path = Path(complete.documents_of(grace)["Passport"].file.path)
    services.remove_party(complete, grace, by=owner)
    assert path.exists()
    with django_capture_on_commit_callbacks(execute=True):
        services.submit(complete, by=owner)
    assert not path.exists()
    assert [party.token for party in Party.objects.all()] == [complete.parties[0].token]
    assert Document.objects.count() == 1
    assert complete.removed_parties == ()
    services.reopen(complete, reason="Please change the name")
    with pytest.raises(services.Gone):
        services.restore_party(complete, "grace", by=owner)


def test_deleting_the_draft_deletes_files_of_removed_parties_too(
    complete: Draft, owner: Any, django_capture_on_commit_callbacks: Any
) -> None:
    path = Path(complete.documents[0].file.path)
    services.remove_party(complete, complete.parties[0], by=owner)
    with django_capture_on_commit_callbacks(execute=True):
        services.delete_draft(complete.application, by=owner)
    assert not path.exists()
    assert not Party.objects.exists()


def test_posting_the_page_of_a_removed_party_again_restores_it_with_its_answers(draft: Draft, owner: Any) -> None:
    party = services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="page1")
    services.remove_party(draft, party, by=owner)
    services.add_party(draft, "person", ["director"], {}, by=owner, token="page1")
    [row] = factories.again(draft).parties
    assert (row.label, draft.removed_parties) == ("Ada Lovelace", ())


def test_restoring_twice_changes_nothing(complete: Draft, owner: Any) -> None:
    token = complete.parties[0].token
    services.remove_party(complete, complete.parties[0], by=owner)
    other_window = factories.again(complete)
    services.restore_party(complete, token, by=owner)
    entries = Change.objects.count()
    assert services.restore_party(other_window, token, by=owner).token == token
    assert Change.objects.count() == entries
