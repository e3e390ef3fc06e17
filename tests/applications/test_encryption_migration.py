"""The migrations that encrypt what was plain, there and back."""

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.models import Change, Document, Party, Preview
from formation_portal.desk.models import Case, CaseWord
from formation_portal.relay.models import Decision, Delivery
from formation_portal.reviews.models import Note
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "service"])

BEFORE = [
    ("applications", "0014_malware_scan_of_documents"),
    ("desk", "0014_products_with_places"),
    ("relay", "0009_deliveries_in_trouble"),
    ("reviews", "0006_what_documents_say"),
]


def migrate(to: list[tuple[str, str]]) -> Any:
    MigrationExecutor(connection).migrate(to)
    return MigrationExecutor(connection).loader.project_state(to).apps


def migrate_to_latest() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def columns(model: Any, *names: str) -> list[Any]:
    return [tuple(getattr(row, name) for name in names) for row in model.objects.order_by("pk")]


def test_what_was_plain_is_encrypted_and_read_as_it_was(owner: Any) -> None:
    draft = factories.new_draft(owner)
    party = services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="ada")
    services.add_document(draft, party, "Passport", factories.upload(), by=owner)
    Case.objects.create(
        application=draft.application, title="Larkfield Holdings", state="in_review", submitted_at=timezone.now()
    )
    Note.objects.create(application=draft.application, version=1, at=timezone.now(), kind="page", text="Call Ada")
    Decision.objects.create(delivery=Delivery.objects.all()[0], agent=owner, deed="bind", note="Ada said so")
    known: list[tuple[Any, tuple[str, ...]]] = [
        (Party, ("raw", "token")),
        (Change, ("what", "named", "changes")),
        (Document, ("name",)),
        (Delivery, ("wanted", "problems")),
        (Case, ("title", "word")),
        (Note, ("text", "label")),
        (Decision, ("note", "told")),
    ]
    as_it_was = [columns(model, *names) for model, names in known]
    assert Preview.objects.exists()
    try:
        before = migrate(BEFORE)
        assert not before.get_model("applications", "Preview").objects.exists()
        plain = before.get_model("applications", "Party").objects.get()
        assert plain.raw == factories.ADA
        before.get_model("applications", "Preview").objects.create(
            document=before.get_model("applications", "Document").objects.get(), picture=b"\xff\xd8 a picture"
        )
        words = before.get_model("desk", "CaseWord").objects
        words.create(case_id=draft.application.pk, word=b"larkfield")
    finally:
        migrate_to_latest()
    assert [columns(model, *names) for model, names in known] == as_it_was
    assert Preview.objects.get().picture == b"\xff\xd8 a picture"
    with connection.cursor() as cursor:
        cursor.execute("SELECT raw FROM applications_party")
        assert "Lovelace" not in str(cursor.fetchall())
    found = {bytes(one.word) for one in CaseWord.objects.all()}
    from formation_portal.desk.queue.queue_index import search_words

    assert found == search_words(["Larkfield"])
