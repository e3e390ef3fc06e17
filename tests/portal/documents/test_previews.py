"""Documents are looked at page by page, sealed off from everything else, and each look stands in the audit."""

from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change, Document, Preview
from formation_portal.audit.models import Actor, AuditAction, Entry
from formation_portal.core.pages.content_policy import ISOLATED_POLICY
from formation_portal.desk.audit.pages import detail_of
from tests import factories
from tests.documents import sample_files
from tests.portal.pages import page_at, root

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def document(complete: Draft, owner: Any) -> Document:
    """A passport of three pages, in an application that was submitted."""
    upload = factories.upload(sample_files.pdf(3), "passport.pdf")
    document = services.add_document(complete, complete.parties[0], "Passport", upload, by=owner)
    services.submit(complete, by=owner, declaration="I declare it.")
    return document


def url(document: Document, more: str) -> str:
    return f"{root(document.application)}documents/{document.pk}/{more}"


def test_a_page_is_shown_with_the_way_to_the_others(as_owner: Client, document: Document) -> None:
    for number, ways in ((1, ["pages/2/"]), (2, ["pages/1/", "pages/3/"]), (3, ["pages/2/"])):
        page = page_at(as_owner, url(document, f"pages/{number}/"))
        turning = [link.attributes["href"] for link in (*page.all("a", rel="prev"), *page.all("a", rel="next"))]
        assert turning == [url(document, way) for way in ways]
        assert f"Page {number} of 3" in page.one("main").text
        assert ", 3 pages, " in page.one("main").text
        [image] = page.all("img")
        assert image.attributes["src"] == url(document, f"pages/{number}/picture/")
        assert image.attributes["alt"].startswith(f"Page {number} of passport.pdf")
    for number in (0, 4):
        assert as_owner.get(url(document, f"pages/{number}/")).status_code == 404


@pytest.mark.parametrize(("more", "side"), [("thumbnail/", 320), ("pages/2/picture/", 1400)])
def test_pictures_are_ours_and_sealed(as_owner: Client, document: Document, more: str, side: int) -> None:
    answer = as_owner.get(url(document, more))
    with Image.open(BytesIO(answer.content), formats=("JPEG",)) as picture:
        assert max(picture.size) == side
    assert answer["Content-Type"] == "image/jpeg"
    assert answer["Content-Security-Policy"] == ISOLATED_POLICY
    assert answer["Content-Disposition"].startswith("inline; filename=")
    assert "passport" not in answer["Content-Disposition"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "no-store"


def test_the_file_itself_is_only_ever_a_sealed_attachment(as_owner: Client, document: Document) -> None:
    answer = as_owner.get(url(document, ""))
    assert answer["Content-Disposition"] == f'attachment; filename="{document.application.reference}-passport.pdf"'
    assert answer["Content-Security-Policy"] == ISOLATED_POLICY
    assert answer["Cache-Control"] == "no-store"
    answer.close()


def test_what_cannot_be_shown_says_so_and_can_be_downloaded(as_owner: Client, complete: Draft, owner: Any) -> None:
    upload = factories.upload(sample_files.pdf(), "locked.pdf")
    document = services.add_document(complete, complete.parties[0], "Passport", upload, by=owner)
    # From before such files were refused.
    Document.objects.update(findings={"codes": ["protected"]})
    Preview.objects.all().delete()
    page = page_at(as_owner, url(document, "pages/1/"))
    assert "can’t be shown here" in page.one("main").text
    assert "needs a password" in page.one("main").text
    assert page.all("img") == []
    assert page.one("a", href=url(document, "")).text == "Download the file"
    for picture in ("pages/1/picture/", "thumbnail/"):
        assert as_owner.get(url(document, picture)).status_code == 404


def log_entries() -> list[tuple[str, int, str, dict[str, Any]]]:
    entries = Entry.objects.filter(action__in=(AuditAction.LOOK, AuditAction.RECORD)).order_by("number")
    return [(entry.actor, entry.account, entry.subject, detail_of(entry)) for entry in entries]


def shown(client: Client, path: str, method: str = "get") -> None:
    """Ask for a file, and let go of it."""
    answer = getattr(client, method)(path)
    assert answer.status_code == 200
    # Only the file: closing the answer itself would take the test's connection along.
    for close in answer._resource_closers:
        close()


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("documents/{}/", {"way": "file"}),
        ("documents/{}/pages/2/", {"way": "page", "page": 2}),
        ("record.json", {"kind": "json"}),
        ("record.pdf", {"kind": "pdf"}),
    ],
)
def test_a_look_is_kept_for_owner_and_agent(
    document: Document, path: str, detail: dict[str, Any], owner: Any, agent: Any, as_owner: Client, as_agent: Client
) -> None:
    reference = document.application.reference
    for client, room in ((as_owner, "applications"), (as_agent, "desk")):
        shown(client, f"/{room}/{reference}/{path.format(document.pk)}")
    subject = str(document.pk) if "documents" in path else ""
    people = ((Actor.CUSTOMER, owner.pk), (Actor.AGENT, agent.pk))
    assert log_entries() == [(*who, subject, detail) for who in people]
    kinds = (AuditAction.LOOK, AuditAction.RECORD)
    assert {entry.reference for entry in Entry.objects.filter(action__in=kinds)} == {reference}


def test_a_small_picture_is_a_look_too(document: Document, as_owner: Client) -> None:
    as_owner.get(url(document, "thumbnail/"))
    assert [entry[-1] for entry in log_entries()] == [{"way": "small picture"}]


def test_a_request_that_shows_nothing_is_none(document: Document, as_owner: Client, as_other_customer: Client) -> None:
    for more in ("", "thumbnail/", "pages/1/", "pages/1/picture/"):
        shown(as_owner, url(document, more), "head")
        assert as_other_customer.get(url(document, more)).status_code == 404
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
    entries = "".join(f"{entry.subject}{entry.detail}" for entry in Entry.objects.all())
    for typed in ("Larkfield", "Ada", "Lovelace", "passport"):
        assert typed not in entries
