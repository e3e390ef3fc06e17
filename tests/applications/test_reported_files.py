"""Files from public bug reports of other programs, each with its source: a repository and an issue of GitHub."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.documents import sample_files
from tests.documents.corpus import honest, pdfs, pictures

pytestmark = pytest.mark.django_db


def cmyk() -> bytes:
    return sample_files.saved(sample_files.written(1200, 900, mode="CMYK"), "JPEG")


def sixteen_bits() -> bytes:
    return sample_files.saved(sample_files.sixteen_bits(), "PNG")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param(b"\xef\xbb\xbf" + sample_files.pdf(), "x.pdf", id="trycompai/comp #3251"),
        pytest.param(sample_files.pdf() + bytes(80_508), "x.pdf", id="firecrawl/pdf-inspector #301"),
        pytest.param(sample_files.pdf().rstrip() + b"\0", "x.pdf", id="SerenityOS/serenity #22566"),
        pytest.param(sample_files.pdf().replace(b"%%EOF", b""), "x.pdf", id="kenn-io/docbank #426"),
        pytest.param(cmyk(), "x.jpg", id="EyalAr/lwip #161"),
        pytest.param(honest._two_pictures(), "P1010670.JPG", id="jarun/imgp #21"),
        pytest.param(honest._film(), "PXL_1.MP.jpg", id="3rd/image.nvim #379"),
        pytest.param(sample_files.jpeg() + bytes(100_000), "x.jpg", id="mayanklahiri/easyexif #17"),
        pytest.param(sixteen_bits(), "x.png", id="stoeckmann/xwallpaper #16"),
        pytest.param(sample_files.png(), "Capture.PNG", id="maxcountryman/flask-uploads #23"),
        pytest.param(sample_files.jpeg(), "IMG_0001.HEIC", id="instructure/canvas-lms #1206"),
    ],
)
def test_a_file_that_people_can_open_is_taken(draft: Draft, owner: Any, ada: Any, content: bytes, name: str) -> None:
    document = services.add_document(draft, ada, "Passport", factories.upload(content, name), by=owner)
    assert document.size == len(content)


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        # codeforamerica/shiba #339
        (pdfs.changed(pdfs.with_xfa), "n-400.pdf", "a form that only some programs can open"),
        # Esri/data-collection-ios #184
        (b"\0\0\0\x18ftypheic" + bytes(600), "IMG_1.jpg", "Most Compatible"),
        # isomerpages/isomercms-backend #1122
        (pictures.animated(3), "x.png", "Save one image of it as JPEG or PNG"),
    ],
)
def test_a_file_is_refused_with_the_way_out(
    draft: Draft, owner: Any, ada: Any, content: bytes, name: str, words: str
) -> None:
    with pytest.raises(services.UploadRefused, match=words):
        services.add_document(draft, ada, "Passport", factories.upload(content, name), by=owner)
