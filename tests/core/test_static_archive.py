"""Static files of another version: published by its node, found by the others, and never more than hashed names."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import MiddlewareNotUsed
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.http import HttpResponse
from django.test import RequestFactory

from formation_portal.core import static_archive
from formation_portal.core.servers import bucket
from formation_portal.core.static_archive import StaticArchive, publish
from formation_portal.core.storage import STATIC_FILES, storage_settings
from tests.object_store import ObjectStore, needs_a_bucket, object_server, object_store

__all__ = ["object_server", "object_store"]

pytestmark = needs_a_bucket

CSS, CODE = "css/index.0123456789ab.css", "js/form.ba9876543210.js"


@pytest.fixture
def store(object_store: ObjectStore, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    monkeypatch.setattr(bucket, "READ_SECONDS", 0.5)
    settings.STORAGES = settings.STORAGES | storage_settings(object_store.url())
    settings.DATA_DIR = tmp_path / "new"
    settings.STATIC_ROOT = tmp_path / "new" / "static"
    for name, content in ((CSS, "a{}"), (f"{CSS}.br", "packed"), (CODE, "1"), ("staticfiles.json", "{}")):
        path = settings.STATIC_ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return object_store


@pytest.fixture
def old(store: ObjectStore, settings: Any, tmp_path: Path) -> StaticArchive:
    """The node of another version, when the new one has published."""
    assert publish() == 2
    settings.DATA_DIR = tmp_path / "old"
    return node()


def node() -> StaticArchive:
    return StaticArchive(lambda _: HttpResponse(status=404))


def ask(archive: StaticArchive, name: str, method: str = "GET") -> Any:
    return archive(RequestFactory().generic(method, f"/static/{name}"))


def test_a_start_publishes_what_is_missing_and_hashed_alone(store: ObjectStore) -> None:
    assert publish() == 2
    assert store.names == [f"here/static/{CSS}", f"here/static/{CODE}"]
    assert publish() == 0


def test_a_node_of_another_version_answers_and_keeps_it(store: ObjectStore, old: StaticArchive, tmp_path: Path) -> None:
    answer = ask(old, CSS)
    assert (answer.status_code, answer.content, answer["Content-Type"]) == (200, b"a{}", "text/css; charset=utf-8")
    assert "immutable" in answer["Cache-Control"]
    assert (tmp_path / "old/static-of-others" / CSS).read_text() == "a{}"
    store.bucket.objects.delete()
    assert ask(node(), CSS).status_code == 200, "another process has it from the disk"
    assert ask(node(), CODE).status_code == 404


@pytest.mark.parametrize(
    "name", ["css/index.css", "../secret-key", "css/../../secret.0123456789ab.css", "/etc.0123456789ab.x", ""]
)
def test_no_other_name_is_looked_for(old: StaticArchive, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StaticArchive, "_find", lambda *_: pytest.fail("looked for it"))
    assert ask(old, name).status_code == 404
    assert ask(old, CSS, "POST").status_code == 404


def test_who_asks_for_what_is_nowhere_costs_the_bucket_one_look(
    old: StaticArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_archive, "_LIST_SECONDS", 3600.0)
    looks = []
    listed = bucket.BucketStorage.stored_before
    monkeypatch.setattr(bucket.BucketStorage, "stored_before", lambda self, at: looks.append(at) or listed(self, at))
    assert {ask(old, f"css/x.{number:012x}.css").status_code for number in range(20)} == {404}
    assert len(looks) == 1


def test_what_was_published_later_is_found(old: StaticArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_archive, "_LIST_SECONDS", 0.0)
    later = "css/later.aaaaaaaaaaaa.css"
    assert ask(old, later).status_code == 404
    storages[STATIC_FILES].save(later, ContentFile(b"b{}"))
    assert ask(old, later).content == b"b{}"


def test_while_the_bucket_is_away_it_is_asked_once_and_nothing_fails(
    store: ObjectStore, old: StaticArchive, caplog: pytest.LogCaptureFixture
) -> None:
    store.stop()
    try:
        assert [ask(old, CSS).status_code for _ in range(3)] == [404, 404, 404]
    finally:
        store.start_again()
    assert caplog.text.count("The bucket can't be asked for static files: The bucket does not answer") == 1


def test_what_nobody_publishes_any_more_is_removed_after_weeks(
    store: ObjectStore, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish()
    (settings.STATIC_ROOT / CODE).unlink()
    publish()
    assert len(store.names) == 2, "it is young"
    monkeypatch.setattr(static_archive, "KEPT_FOR", -static_archive.KEPT_FOR)
    publish()
    assert store.names == [f"here/static/{CSS}"]


def test_without_a_bucket_there_is_nothing_of_it(settings: Any) -> None:
    assert publish() == 0
    with pytest.raises(MiddlewareNotUsed):
        node()
