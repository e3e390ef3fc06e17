"""Uploads in a bucket, by a server of its own: the portal's, the service's, and what happens while it is away."""

import contextlib
import multiprocessing
import socket
import threading
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage, storages
from django.core.management import CommandError
from django.core.management.base import OutputWrapper
from django.test import Client
from PIL import Image

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document, Preview
from formation_portal.core.encryption import decrypt_file
from formation_portal.core.servers import bucket
from formation_portal.core.storage import storage_settings
from formation_portal.management.commands import remove_orphans, setup_portal
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.documents import sample_files
from tests.markup import Markup
from tests.object_store import SECRET, ObjectStore, needs_a_bucket, object_server, object_store
from tests.service import example_catalog
from tests.service.caller import Caller

__all__ = ["object_server", "object_store"]

pytestmark = [pytest.mark.django_db(databases=["default", "service"], transaction=True), needs_a_bucket]

FILE = sample_files.pdf(3)


@pytest.fixture(autouse=True)
def store(object_store: ObjectStore, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """The bucket as STORAGE_URL names it; whoever writes to a folder all the same is found out."""
    monkeypatch.setattr(bucket, "READ_SECONDS", 0.5)
    settings.STORAGES = settings.STORAGES | storage_settings(object_store.url())
    settings.MEDIA_ROOT = settings.SERVICE_DOCUMENTS = tmp_path / "nothing-here"
    settings.RELAY_WAIT_MS = 0
    return object_store


@pytest.fixture
def draft(owner: Any) -> Draft:
    store_catalog([factories.ITEM])
    return factories.complete_draft(owner)


def documents_url(draft: Draft, more: str = "") -> str:
    return f"/applications/{draft.application.reference}/documents/{more}"


def upload(client: Client, draft: Draft, content: bytes = FILE) -> Any:
    form = {"slot": "/Business plan", "file": factories.upload(content, "plan.pdf")}
    return client.post(documents_url(draft), form)


def pictures_of(draft: Draft, document: Document) -> list[str]:
    return [documents_url(draft, f"{document.pk}/{more}") for more in ("thumbnail/", "pages/2/picture/")]


def plan_of(draft: Draft) -> Document:
    return Document.objects.in_use().get(application=draft.application, slot="Business plan")


def content_of(answer: Any) -> bytes:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def test_a_file_is_uploaded_drawn_and_given_out_by_the_portal_alone(
    browser: Client, draft: Draft, store: ObjectStore, settings: Any
) -> None:
    assert upload(browser, draft).status_code == 302
    document = plan_of(draft)
    assert f"here/portal/{document.file.name}" in store.names
    stored = store.bucket.Object(f"here/portal/{document.file.name}").get()
    sealed = stored["Body"].read()
    assert FILE not in sealed
    assert decrypt_file(sealed, str(document.file.name)) == FILE
    assert stored["ContentType"] == "application/octet-stream"
    for picture, side in zip(pictures_of(draft, document), (320, 1400), strict=True):
        answer = browser.get(picture)
        with Image.open(BytesIO(answer.content), formats=("JPEG",)) as image:
            assert max(image.size) == side
    answer = browser.get(documents_url(draft, f"{document.pk}/"))
    assert content_of(answer) == FILE
    assert (answer["Content-Type"], answer["Content-Length"]) == ("application/pdf", str(len(FILE)))
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert (answer["Cache-Control"], answer["X-Content-Type-Options"]) == ("no-store", "nosniff")
    assert browser.post(documents_url(draft, f"{document.pk}/removal/")).status_code == 302
    assert f"here/portal/{document.file.name}" not in store.names
    assert not Path(settings.MEDIA_ROOT).exists()
    assert list(Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir()) == []


def test_a_large_file_is_one_piece(store: ObjectStore) -> None:
    large = b"0" * 9_500_000
    name = default_storage.save("large", ContentFile(large))
    with default_storage.open(name) as file:
        assert file.read() == large
    # What was sent in parts has a digest with their number.
    assert "-" not in store.bucket.Object(f"here/portal/{name}").e_tag


def test_the_service_keeps_its_documents_in_a_bucket_too(store: ObjectStore) -> None:
    store_catalog(example_catalog.items())
    caller = Caller.with_scopes()
    entity = caller.entity()
    path = f"/entities/{entity}/documents"
    first, second = (
        caller.upload(path, file=factories.upload(content), document_key="Business plan").json()["data"]["id"]  # type: ignore[attr-defined]
        for content in (factories.PDF, FILE)
    )
    assert first != second
    assert store.names == [f"here/service/{entity}/{second}"]
    assert content_of(caller.get(f"{path}/{second}/download")) == FILE
    store.stop()
    for answer in (
        caller.get(f"{path}/{second}/download"),
        caller.upload(path, file=factories.upload(), document_key="Business plan"),
    ):
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    store.start_again()
    assert content_of(caller.get(f"{path}/{second}/download")) == FILE
    store.bucket.objects.delete()
    assert caller.get(f"{path}/{second}/download").status_code == 503
    assert caller.delete(f"{path}/{second}").status_code == 204


def test_while_the_bucket_is_away_pages_say_so_and_keep_what_was_typed(
    browser: Client, draft: Draft, store: ObjectStore, caplog: pytest.LogCaptureFixture
) -> None:
    upload(browser, draft)
    document = plan_of(draft)
    store.stop()
    section = f"/applications/{draft.application.reference}/sections/the-company/"
    assert browser.get(section).status_code == 200
    refused = upload(browser, draft, FILE + b"\n")
    assert refused.status_code == 422
    assert "We could not save the file just now." in Markup(refused.content.decode()).one("main").text
    answer = browser.get(documents_url(draft, f"{document.pk}/"))
    assert (answer.status_code, answer["Retry-After"], answer["Cache-Control"]) == (503, "5", "no-store")
    assert Markup(answer.content.decode()).one("h1").text == "This page is not available right now"
    assert SECRET not in caplog.text
    assert all(record.exc_info is None for record in caplog.records)
    store.start_again()
    assert content_of(browser.get(documents_url(draft, f"{document.pk}/"))) == FILE
    assert upload(browser, draft, FILE + b"\n").status_code == 302
    assert plan_of(draft).pk != document.pk
    with store.silent():
        assert browser.get(documents_url(draft, f"{plan_of(draft).pk}/")).status_code == 503


def test_a_bucket_that_goes_away_once_it_has_the_file_loses_nothing(
    browser: Client, draft: Draft, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = bucket.BucketStorage._save
    with monkeypatch.context() as patch:
        patch.setattr(bucket.BucketStorage, "_save", lambda *named: (save(*named), store.stop())[0])
        assert upload(browser, draft).status_code == 302
    store.start_again()
    assert content_of(browser.get(documents_url(draft, f"{plan_of(draft).pk}/"))) == FILE


def test_orphans_are_removed_from_the_bucket_once_a_day(
    browser: Client, draft: Draft, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(browser, draft)
    before = store.names
    store.bucket.put_object(Key=f"here/portal/{draft.application.reference}/left", Body=b"half")
    # What belongs to others, or to an application that this database does not know.
    others = ["elsewhere/file", "here/portal/FP-unknown/file"]
    for name in others:
        store.bucket.put_object(Key=name, Body=b"")
    assert remove_orphans.remove_orphans() == 0
    monkeypatch.setattr(remove_orphans, "AGE_SECONDS", -60)
    assert remove_orphans.remove_orphans() == 1
    assert store.names == sorted(before + others)
    monkeypatch.setattr(remove_orphans, "AGE_SECONDS", 60)
    looks: list[int] = []
    monkeypatch.setattr(remove_orphans, "remove_orphans", lambda: looks.append(1) or 0)
    for _ in range(3):
        remove_orphans.remove_orphans_daily()
    assert looks == [1], "all nodes together look once a day"


def test_a_forked_process_has_connections_of_its_own() -> None:
    name = default_storage.save("one", factories.upload())
    here: Any = default_storage
    ours, answers = here.bucket, multiprocessing.get_context("fork").SimpleQueue()

    def read() -> None:
        with default_storage.open(name) as file:
            answers.put((here.bucket is not ours, file.read()))

    child = multiprocessing.get_context("fork").Process(target=read)
    child.start()
    child.join()
    assert answers.get() == (True, factories.PDF)


def test_the_start_looks_at_the_bucket(store: ObjectStore, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    output = StringIO()

    def check(url: str) -> None:
        monkeypatch.setattr(settings.ENV, "storage_url", url)
        settings.STORAGES = settings.STORAGES | storage_settings(url)
        setup_portal.check_storage(OutputWrapper(output))

    check(store.url())
    assert (output.getvalue(), store.names) == ("", [])
    with pytest.raises(CommandError, match=r"^STORAGE_URL: The bucket refuses: NoSuchBucket$"):
        check(store.url("another"))
    # It knows nobody's key.
    stern = ObjectStore(more={"INITIAL_NO_AUTH_ACTION_COUNT": "0"})
    stern.start()
    try:
        with pytest.raises(CommandError, match=r"^STORAGE_URL: The bucket refuses: InvalidAccessKeyId$"):
            check(stern.url())
    finally:
        stern.end()
    # One that is away may come back while the portal runs.
    check(stern.url())
    assert output.getvalue() == (
        "Warning: STORAGE_URL: The bucket does not answer: EndpointConnectionError. "
        "There are no uploads and downloads until it does.\n"
    )


def test_two_nodes_that_start_at_once_do_not_take_each_others_file_away(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = bucket.BucketStorage.open

    def after_another_start(self: bucket.BucketStorage, *args: Any, **kwargs: Any) -> Any:
        monkeypatch.undo()
        self.check()
        return reading(self, *args, **kwargs)

    monkeypatch.setattr(bucket.BucketStorage, "open", after_another_start)
    storages["default"].check()
    assert store.names == []


def test_a_bucket_that_takes_a_file_too_slowly_is_given_up(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a piece at a time, so slowly that no single wait is long."""
    monkeypatch.setattr(bucket, "FILE_SECONDS", 0.5)
    is_over = threading.Event()

    def read_slowly(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            while not is_over.wait(0.01) and connection.recv(2048):
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=read_slowly, args=(listener,), daemon=True).start()
        url = f"s3://key:secret@uploads?endpoint=http://127.0.0.1:{listener.getsockname()[1]}&region=eu-west-1"
        settings.STORAGES = settings.STORAGES | storage_settings(url)
        with pytest.raises(OSError, match="The bucket is too slow"):
            storages["default"].save("slow", ContentFile(b"x" * 40_000_000))
        is_over.set()


def test_a_picture_of_a_missing_file_is_later_and_drawn_when_the_file_is_back(
    browser: Client, draft: Draft, store: ObjectStore
) -> None:
    upload(browser, draft)
    document = plan_of(draft)
    Preview.objects.all().delete()
    [name] = [name for name in store.names if document.file.name in name]
    content = store.bucket.Object(name).get()["Body"].read()
    store.bucket.Object(name).delete()
    pictures = pictures_of(draft, document)
    assert [browser.get(picture).status_code for picture in pictures] == [503, 503]
    store.bucket.put_object(Key=name, Body=content)
    assert [browser.get(picture).status_code for picture in pictures] == [200, 200]
