"""Deleting a draft: asked once more with what goes, by its owner alone, and then everything is gone."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change, Document, Holding, Party, SectionAnswers, ShareClass
from formation_portal.relay.models import Delivery, DeliveryState
from tests import factories
from tests.encrypted_rows import update_each
from tests.portal.pages import page_at, root, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def path(draft: Draft) -> str:
    return f"{root(draft)}removal/"


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


def test_what_was_changed_since_the_question_is_not_deleted(complete: Draft, owner: Any, as_owner: Client) -> None:
    asked = page_at(as_owner, path(complete))
    services.add_party(complete, "person", ["director"], {"person.first_name": "Eve"}, by=owner)
    again = sound(as_owner.post(path(complete), {"drawn": asked.one("input", name="drawn").attributes["value"]}), 409)
    assert "Nothing was deleted" in again.one("main").text
    assert "2 people and companies" in again.one("main").text
    assert factories.again(complete).application.deleted_at is None
    as_owner.post(path(complete), {"drawn": again.one("input", name="drawn").attributes["value"]})
    assert factories.again(complete).application.deleted_at is not None


def test_one_that_was_submitted_in_between_stays(complete: Draft, owner: Any, as_owner: Client) -> None:
    services.submit(complete, by=owner)
    assert as_owner.post(path(complete))["Location"].endswith("/status/")
    assert Document.objects.exists()
