"""Whoever opens an uploaded file, or a page of it, stands in the audit; so does every change."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change, Document
from formation_portal.audit.models import Actor, AuditAction, Entry
from formation_portal.desk.audit.pages import detail_of
from tests import factories
from tests.documents import sample_files

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def document(complete: Draft, owner: Any) -> Document:
    """A passport of three pages, in an application that was submitted."""
    upload = factories.upload(sample_files.pdf(3), "passport.pdf")
    document = services.add_document(complete, complete.parties[0], "Passport", upload, by=owner)
    services.submit(complete, by=owner, declaration="I declare it.")
    return document


def log_entries() -> list[tuple[str, int, str, dict[str, Any]]]:
    found = Entry.objects.filter(action__in=(AuditAction.LOOK, AuditAction.RECORD)).order_by("number")
    return [(one.actor, one.account, one.subject, detail_of(one)) for one in found]


def shown(client: Client, path: str, method: str = "get") -> None:
    """Ask for a file, and let go of it."""
    answer = getattr(client, method)(path)
    assert answer.status_code == 200
    # Only the file: closing the answer itself would take the test's connection along.
    for close in answer._resource_closers:
        close()


RECORDED_AS = {
    "": {"way": "file"},
    "pages/2/": {"way": "page", "page": 2},
}


@pytest.mark.parametrize("more", RECORDED_AS)
def test_a_look_is_kept_for_owner_and_agent(
    document: Document, more: str, owner: Any, agent: Any, as_owner: Client, as_agent: Client
) -> None:
    reference = document.application.reference
    for client, room in ((as_owner, "applications"), (as_agent, "desk")):
        shown(client, f"/{room}/{reference}/documents/{document.pk}/{more}")
    people = ((Actor.CUSTOMER, owner.pk), (Actor.AGENT, agent.pk))
    assert log_entries() == [(*who, str(document.pk), RECORDED_AS[more]) for who in people]
    assert {one.reference for one in Entry.objects.filter(action=AuditAction.LOOK)} == {reference}


def test_a_small_picture_is_a_look_too(document: Document, as_owner: Client) -> None:
    as_owner.get(f"/applications/{document.application.reference}/documents/{document.pk}/thumbnail/")
    assert [one[-1] for one in log_entries()] == [{"way": "small picture"}]


def test_a_request_that_shows_nothing_is_none(document: Document, as_owner: Client, as_other_customer: Client) -> None:
    path = f"/applications/{document.application.reference}/documents/{document.pk}/"
    for more in ("", "thumbnail/", "pages/1/", "pages/1/picture/"):
        shown(as_owner, path + more, "head")
        assert as_other_customer.get(path + more).status_code == 404
    assert log_entries() == []


@pytest.mark.parametrize("room", ["applications", "desk"])
def test_a_picture_that_a_page_loads_opens_nothing(
    document: Document, room: str, as_owner: Client, as_agent: Client
) -> None:
    client = as_owner if room == "applications" else as_agent
    picture = f"/{room}/{document.application.reference}/documents/{document.pk}/pages/3/picture/"
    for headers in ({}, {"Sec-Fetch-Dest": "image"}):
        assert client.get(picture, headers=headers).status_code == 200
    assert log_entries() == []
    assert client.get(picture, headers={"Sec-Fetch-Dest": "document"}).status_code == 200
    assert [entry[-1] for entry in log_entries()] == [{"way": "page", "page": 3}]


@pytest.mark.parametrize(
    ("header", "more"),
    [("Sec-Purpose", "documents/{}/"), ("Purpose", "documents/{}/pages/1/"), ("X-Moz", "record.json")],
)
def test_what_a_browser_prefetches_is_neither_opened_nor_handed_out(
    document: Document, header: str, more: str, as_agent: Client
) -> None:
    path = f"/desk/{document.application.reference}/{more.format(document.pk)}"
    assert as_agent.get(path, headers={header: "prefetch;prerender"}).status_code == 404
    assert log_entries() == []
    shown(as_agent, path)
    assert len(log_entries()) == 1


@pytest.mark.parametrize("kind", ["json", "pdf"])
def test_taking_the_record_is_kept(document: Document, kind: str, as_owner: Client, as_agent: Client) -> None:
    for client, room in ((as_owner, "applications"), (as_agent, "desk")):
        assert client.get(f"/{room}/{document.application.reference}/record.{kind}").status_code == 200
    assert [(one[0], one[-1]) for one in log_entries()] == [
        (who, {"kind": kind}) for who in (Actor.CUSTOMER, Actor.AGENT)
    ]


def test_every_change_stands_in_the_chain(complete: Draft, owner: Any) -> None:
    services.submit(complete, by=owner, declaration="I declare it.")
    services.reopen(complete, reason="Returned")
    services.create_copy(complete, by=owner)
    named = [pk for one in Entry.objects.filter(action=AuditAction.CHANGE) for pk in detail_of(one)["changes"]]
    assert sorted(named) == sorted(Change.objects.values_list("pk", flat=True))
    of_nobody = Entry.objects.get(actor=Actor.PORTAL)
    assert detail_of(of_nobody)["moved_to"] == "returned_for_changes"
    assert {one.account for one in Entry.objects.exclude(pk=of_nobody.pk)} == {owner.pk}


def test_a_deleted_draft_leaves_its_entries_and_nothing_that_was_typed(complete: Draft, owner: Any) -> None:
    before = Entry.objects.count()
    services.delete_draft(Application.objects.get(), by=owner)
    assert Entry.objects.count() == before + 1
    kept = "".join(f"{one.subject}{one.detail}" for one in Entry.objects.all())
    for typed in ("Larkfield", "Ada", "Lovelace", "passport"):
        assert typed not in kept
