"""A removed party counts nowhere, comes back as it was, and is deleted when the application is submitted."""

from pathlib import Path
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change, Document, Party
from formation_portal.applications.readback import readback
from tests import factories


def test_a_removed_party_counts_nowhere_and_is_restored_as_it_was(complete: Draft, owner: Any) -> None:
    before = factories.again(complete)
    assert (len(before.parties), len(before.holdings), len(before.documents)) == (1, 1, 1)
    services.remove_party(complete, complete.parties[0], by=owner)
    other_window = factories.again(complete)
    for draft in (complete, other_window):
        assert (draft.parties, draft.holdings, draft.documents) == ((), {}, [])
        assert (draft.record.parties, draft.record.documents) == ((), frozenset())
        assert "Add 1 more under “Directors” (at least 1)" in {need.text for need in draft.needs}
        assert readback(draft).parties == ()
        assert [row.label for row in draft.removed_parties] == ["Ada Lovelace"]
    change = Change.objects.first()
    assert {"field": "person.last_name", "label": "Last name", "before": "Lovelace", "after": None} in change.changes

    for window in (complete, other_window):
        assert services.restore_party(window, "ada", by=owner).token == "ada"
    for draft in (complete, factories.again(complete)):
        assert draft.record == before.record
        assert draft.typed_holdings() == before.typed_holdings()
        assert [document.pk for document in draft.documents] == [document.pk for document in before.documents]
        assert (draft.needs, draft.removed_parties) == ((), ())
    assert Path(complete.documents[0].file.path).exists()
    assert [change.what for change in Change.objects.all()[:2]] == ["Restored Ada Lovelace", "Removed Ada Lovelace"]


def test_submitting_deletes_what_was_removed_for_good(
    complete: Draft, owner: Any, django_capture_on_commit_callbacks: Any
) -> None:
    named = {"person.first_name": "Grace", "person.last_name": "Hopper", "person.email": "g@example.com"}
    roles = ["director", "shareholder"]
    grace = services.add_party(complete, "person", roles, factories.ADA | named, by=owner, token="grace")
    services.save_holdings(complete, {("grace", "ordinary"): "5"}, by=owner)
    services.add_document(complete, grace, "Passport", factories.upload(), by=owner)
    assert complete.needs == ()
    path = Path(complete.documents_of(grace)["Passport"].file.path)
    services.remove_party(complete, grace, by=owner)
    assert path.exists()
    with django_capture_on_commit_callbacks(execute=True):
        services.submit(complete, by=owner)
    assert not path.exists()
    assert [party.token for party in Party.objects.all()] == ["ada"]
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


def test_posting_the_page_of_a_removed_party_again_restores_it_with_its_answers(
    draft: Draft, ada: Any, owner: Any
) -> None:
    services.remove_party(draft, ada, by=owner)
    services.add_party(draft, "person", ["director"], {}, by=owner, token="ada")
    [row] = factories.again(draft).parties
    assert (row.label, draft.removed_parties) == ("Ada Lovelace", ())
