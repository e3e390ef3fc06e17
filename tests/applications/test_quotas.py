"""Two requests at the same time never pass a limit of one account together."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connections

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document
from formation_portal.core.databases import SERVICE
from tests import factories
from tests.applications.test_documents import files

at_once = pytest.mark.django_db(transaction=True, databases=["default", SERVICE])


def run_together(*actions: Callable[[], Any]) -> list[Any]:
    """Run each action in a thread; return their results, or the refusals that they raised."""

    def run(action: Callable[[], Any]) -> Any:
        try:
            return action()
        except (services.UploadRefused, services.NotCopied) as refused:
            return refused
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))


def wait_for_both(monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> None:
    """Let a function that runs between the first check and the write begin once both threads have come to it."""
    both, holder = Barrier(2), sys.modules[f"{services.__name__}.{module}"]
    function = getattr(holder, name)

    def waiting(*args: Any, **named: Any) -> Any:
        both.wait(timeout=30)
        return function(*args, **named)

    monkeypatch.setattr(holder, name, waiting)


@pytest.mark.parametrize(
    ("setting", "limit", "words"),
    [
        ("ACCOUNT_FILES", 1, "There may be 1 files in all"),
        ("ACCOUNT_STORAGE_MB", 2, "Remove some first"),
        ("UPLOADS_PER_HOUR", 1, "again in an hour"),
    ],
)
@at_once
def test_of_two_uploads_at_once_one_takes_the_last_place(
    owner: Any, settings: Any, monkeypatch: pytest.MonkeyPatch, setting: str, limit: int, words: str
) -> None:
    setattr(settings, setting, limit)
    drafts = [factories.new_draft(owner) for _ in range(2)]
    wait_for_both(monkeypatch, "documents", "judge_file")

    def upload(draft: Draft) -> Document:
        content = factories.upload(factories.PDF.ljust(1_200_000, b"\n"))
        return services.add_document(draft, None, "Business plan", content, by=owner)

    results = run_together(*[lambda draft=draft: upload(draft) for draft in drafts])
    [refused] = [result for result in results if isinstance(result, services.UploadRefused)]
    assert words in refused.message
    assert Document.objects.count() == 1
    assert len(files()) == 1, "the refused file is deleted again"


@at_once
def test_of_two_copies_at_once_one_takes_the_last_places(
    draft: Draft, owner: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.add_document(draft, None, "Business plan", factories.upload(), by=owner)
    settings.ACCOUNT_FILES = 2
    wait_for_both(monkeypatch, "create_from", "_copy_file")
    results = run_together(*[lambda: services.create_copy(open_draft(draft.application), by=owner)] * 2)
    assert [type(result) for result in results].count(services.NotCopied) == 1
    assert Application.objects.filter(documents=None).count() == 0
    assert (Document.objects.count(), len(files())) == (2, 2)


@pytest.mark.django_db(databases=["default", SERVICE])
def test_a_copy_needs_room_for_each_of_its_files(draft: Draft, owner: Any, settings: Any) -> None:
    ada = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    for slot in ("Passport", "Letter"):
        services.add_document(draft, ada, slot, factories.upload(), by=owner)
    settings.ACCOUNT_FILES = 3
    with pytest.raises(services.NotCopied, match="There may be 3 files in all"):
        services.create_copy(open_draft(draft.application), by=owner)
    assert Document.objects.count() == 2
    settings.ACCOUNT_FILES = 4
    services.create_copy(open_draft(draft.application), by=owner)


@pytest.mark.django_db(databases=["default", SERVICE])
def test_a_copy_counts_for_the_account_that_gets_it(draft: Draft, owner: Any, settings: Any) -> None:
    services.add_document(draft, None, "Business plan", factories.upload(), by=owner)
    editor = get_user_model().objects.create_user("editor@example.com")
    settings.ACCOUNT_FILES = 1
    services.create_copy(open_draft(draft.application), by=editor)
    with pytest.raises(services.NotCopied, match="There may be 1 files in all"):
        services.create_copy(open_draft(draft.application), by=editor)
