"""Documents are looked at page by page, by their owner and by agents, sealed off from everything else."""

from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document, Preview
from formation_portal.core.pages.content_policy import ISOLATED_POLICY
from tests import factories
from tests.documents import sample_files
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def document(complete: Draft, owner: Any) -> Document:
    """A passport of three pages."""
    upload = factories.upload(sample_files.pdf(3), "passport.pdf")
    return services.add_document(complete, complete.parties[0], "Passport", upload, by=owner)


def url(document: Document, more: str) -> str:
    return f"/applications/{document.application.reference}/documents/{document.pk}/{more}"


def test_a_page_is_shown_with_the_way_to_the_others(as_owner: Client, document: Document) -> None:
    for number, ways in ((1, ["pages/2/"]), (2, ["pages/1/", "pages/3/"]), (3, ["pages/2/"])):
        page = Markup(as_owner.get(url(document, f"pages/{number}/")).content.decode())
        turning = [one.attributes["href"] for one in page.all("a") if one.attributes.get("rel") in ("prev", "next")]
        assert turning == [url(document, way) for way in ways]
        assert f"Page {number} of 3" in page.one("main").text
        assert ", 3 pages, " in page.one("main").text
        [image] = page.all("img")
        assert image.attributes["src"] == url(document, f"pages/{number}/picture/")
        assert image.attributes["alt"].startswith(f"Page {number} of passport.pdf")
    assert as_owner.get(url(document, "pages/4/")).status_code == 404
    assert as_owner.get(url(document, "pages/0/")).status_code == 404


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
    page = Markup(as_owner.get(url(document, "pages/1/")).content.decode())
    assert "can’t be shown here" in page.one("main").text
    assert "needs a password" in page.one("main").text
    assert page.all("img") == []
    assert page.one("a", href=url(document, "")).text == "Download the file"
    assert as_owner.get(url(document, "pages/1/picture/")).status_code == 404
    assert as_owner.get(url(document, "thumbnail/")).status_code == 404
