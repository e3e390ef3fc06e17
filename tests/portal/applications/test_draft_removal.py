"""Deleting a draft: asked once more with what goes, by its owner alone, and then everything is gone."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import (
    Application,
    Change,
    Document,
    Holding,
    Party,
    SectionAnswers,
    ShareClass,
)
from formation_portal.relay.models import Delivery, DeliveryState
from tests.encrypted_rows import update_each
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def path(draft: Draft) -> str:
    return f"/applications/{draft.application.reference}/removal/"


def test_the_question_says_what_goes_and_offers_a_copy(complete: Draft, as_owner: Client) -> None:
    markup = Markup(as_owner.get(path(complete)).content.decode())
    assert markup.faults == []
    items = [one.text for one in markup.all("li") if one.inside("main")]
    assert "1 person or company" in items
    assert "1 share class" in items
    assert "1 document, with its file" in items
    assert any(one.endswith(" answers") for one in items)
    assert {"Save as PDF", "Download as JSON"} <= {one.text for one in markup.all("a")}
    assert Application.objects.visible_to(complete.application.owner).exists()


def test_an_empty_draft_has_nothing_to_list(draft: Draft, as_owner: Client) -> None:
    assert "What will be deleted" not in as_owner.get(path(draft)).content.decode()


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_everything_goes_with_its_files(complete: Draft, as_owner: Client) -> None:
    [document] = complete.documents
    file = Path(project.MEDIA_ROOT) / str(document.file.name)
    assert file.exists()
    as_owner.post(path(complete))
    for model in (Document, Holding, Party, ShareClass, SectionAnswers):
        assert not model.objects.exists(), model
    assert [change.what for change in Change.objects.all()] == ["Deleted the draft"]
    assert not file.exists()


def test_what_the_service_may_have_and_cannot_delete_is_said(complete: Draft, as_owner: Client, settings: Any) -> None:
    assert "tell the formation service to delete" in as_owner.get(path(complete)).content.decode()
    entity = Delivery.objects.filter(kind="entity")
    update_each(entity, state=DeliveryState.DONE, acknowledged={"answers": {}}, remote_id="e1")
    settings.FORMATION_SERVICE_EDITS = False
    assert "Our team will ask for it to be removed." in as_owner.get(path(complete)).content.decode()


def test_only_its_owner_deletes_it(
    complete: Draft, as_other_customer: Client, as_agent: Client, as_nobody: Client, as_owner: Client
) -> None:
    for client in (as_other_customer, as_agent):
        assert client.get(path(complete)).status_code == 404
        assert client.post(path(complete)).status_code == 404
    assert as_nobody.post(path(complete)).status_code == 302
    assert Application.objects.visible_to(complete.application.owner).exists()
    assert as_owner.post(path(complete))["Location"] == "/applications/"
    assert as_owner.post(path(complete)).status_code == 404


def test_what_was_changed_since_the_question_is_not_deleted(complete: Draft, owner: Any, as_owner: Client) -> None:
    asked = Markup(as_owner.get(path(complete)).content.decode())
    services.add_party(complete, "person", ["director"], {"person.first_name": "Eve"}, by=owner)
    answer = as_owner.post(path(complete), {"drawn": asked.one("input", name="drawn").attributes["value"]})
    assert answer.status_code == 409
    again = Markup(answer.content.decode())
    assert again.faults == []
    assert "Nothing was deleted" in again.one("main").text
    assert "2 people and companies" in again.one("main").text
    assert Application.objects.get(pk=complete.application.pk).deleted_at is None
    as_owner.post(path(complete), {"drawn": again.one("input", name="drawn").attributes["value"]})
    assert Application.objects.get(pk=complete.application.pk).deleted_at is not None


def test_one_that_was_submitted_in_between_stays(complete: Draft, owner: Any, as_owner: Client) -> None:
    services.submit(complete, by=owner)
    assert as_owner.post(path(complete))["Location"].endswith("/status/")
    assert Document.objects.exists()
