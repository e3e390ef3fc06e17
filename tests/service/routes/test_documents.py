import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model

from formation_portal.service.models import Document, Entity, Event, Party
from tests.service.caller import Caller, problem

pytestmark = pytest.mark.django_db(databases=["service"])
# Files are removed after the commit.
commits = pytest.mark.django_db(databases=["service"], transaction=True)

PDF = b"%PDF-1.7\n1 0 obj\n"
MEBIBYTE = 1024 * 1024


def upload(caller: Caller, entity: str, content: bytes = PDF, *, name: str = "passport.pdf", **form: Any) -> Any:
    """Upload a business plan, or what the form says."""
    file = SimpleUploadedFile(name, content, content_type="application/x-whatever")
    form = {"file": file, "document_key": "Business plan"} | form
    sent = {member: value for member, value in form.items() if value is not None}
    return caller.upload(f"/entities/{entity}/documents", **sent)


def passport_of(party: str) -> dict[str, str]:
    return {"document_key": "Passport", "scope": "party", "party_id": party}


def on_disk(entity: str) -> list[Path]:
    return sorted(Path(settings.SERVICE_DOCUMENTS, entity).glob("*"))


def test_documents_are_listed_by_party_with_their_digests_and_the_oldest_first(caller: Caller, entity: str) -> None:
    mine, theirs = caller.person(entity, "director"), caller.person(entity, "director")
    upload(caller, entity, **passport_of(theirs), name="theirs.pdf")
    plan = upload(caller, entity, name="plan.pdf").json()["data"]
    answer = upload(caller, entity, **passport_of(mine))
    assert answer.status_code == 201
    document = answer.json()["data"]
    assert document["id"].startswith("doc_")
    assert document | {"id": "", "created_at": ""} == {
        "id": "",
        "document_key": "Passport",
        "scope": "party",
        "party_id": mine,
        "name": "passport.pdf",
        "mime_type": "application/pdf",
        "size": len(PDF),
        "sha256": hashlib.sha256(PDF).hexdigest(),
        "status": "pending",
        "created_at": "",
    }
    path = f"/entities/{entity}/documents"
    assert caller.get(f"{path}?party_id={mine}").json()["data"] == [document]
    assert caller.get(f"{path}/{document['id']}").json()["data"] == document
    assert plan["scope"] == "entity"
    listed = [listed["name"] for listed in caller.get(path).json()["data"]]
    assert listed == ["theirs.pdf", "plan.pdf", "passport.pdf"]
    assert Event.objects.filter(type="document.uploaded").latest("number").data["document_id"] == document["id"]


@pytest.mark.parametrize(
    ("content", "mime_type", "ending"),
    [
        (b"\n\n" + PDF, "application/pdf", "pdf"),
        (b"\xff\xd8\xff\xe0 picture", "image/jpeg", "jpg"),
        (b"\x89PNG\r\n\x1a\n picture", "image/png", "png"),
    ],
)
def test_the_content_says_what_a_file_is_and_comes_back(
    caller: Caller, entity: str, content: bytes, mime_type: str, ending: str
) -> None:
    document = upload(caller, entity, content, name="plan.exe").json()["data"]
    assert document["mime_type"] == mime_type
    answer = caller.get(f"/entities/{entity}/documents/{document['id']}/download")
    assert b"".join(answer.streaming_content) == content
    assert answer["Content-Type"] == mime_type
    named = f"{document['id']}-business-plan.{ending}"
    assert answer["Content-Disposition"] == f'attachment; filename="{named}"', "never as its sender has called it"


@commits
def test_a_later_upload_replaces_the_earlier_one_and_a_removed_document_leaves_no_file(
    caller: Caller, entity: str
) -> None:
    path = f"/entities/{entity}/documents"
    first = upload(caller, entity, PDF + b"1").json()["data"]["id"]
    again = upload(caller, entity, PDF + b"2", idempotency_key="plan-2")
    assert upload(caller, entity, PDF + b"2", idempotency_key="plan-2").content == again.content
    problem(upload(caller, entity, PDF + b"3", idempotency_key="plan-2"), 422, "idempotency_key_reused")
    second = again.json()["data"]["id"]
    assert [document["id"] for document in caller.get(path).json()["data"]] == [second]
    problem(caller.get(f"{path}/{first}/download"), 404, "not_found")
    assert [file.name for file in on_disk(entity)] == [second]
    assert caller.delete(f"{path}/{second}").status_code == 204
    assert on_disk(entity) == []
    party = caller.person(entity, "director")
    upload(caller, entity, **passport_of(party))
    caller.delete(f"/entities/{entity}/parties/{party}")
    assert on_disk(entity) == []
    upload(caller, entity)
    caller.delete(f"/entities/{entity}")
    assert on_disk(entity) == []


@pytest.mark.parametrize(
    ("content", "form", "status", "code", "where"),
    [
        (b"MZ a program", {}, 415, "unsupported_media_type", "/file"),
        (b"", {}, 422, "validation_failed", "/file"),
        (PDF, {"file": None}, 422, "validation_failed", "/file"),
        (PDF, {"document_key": None}, 422, "validation_failed", "/document_key"),
        (PDF, {"document_key": "Passport"}, 422, "unknown_field", "/document_key"),
        (PDF, {"scope": "party"}, 422, "validation_failed", "/party_id"),
        (PDF, {"party_id": "pty_" + "0" * 24}, 422, "validation_failed", "/scope"),
        (PDF, {"scope": "moon"}, 422, "validation_failed", "/scope"),
    ],
)
def test_what_is_no_document_of_the_form_is_refused_at_its_member(
    caller: Caller, entity: str, content: bytes, form: dict[str, Any], status: int, code: str, where: str
) -> None:
    answer = upload(caller, entity, content, **form)
    problem(answer, status, code, where)
    assert on_disk(entity) == []


@pytest.mark.parametrize(("excess", "status"), [(0, 201), (1, 413), (100_000, 413)])
def test_a_file_at_the_limit_is_taken_and_one_over_it_refused(
    caller: Caller, entity: str, excess: int, status: int
) -> None:
    answer = upload(caller, entity, PDF + b" " * (10 * MEBIBYTE - len(PDF) + excess))
    assert answer.status_code == status


def burst(*_: object, **__: object) -> None:
    raise RuntimeError


@commits
@pytest.mark.parametrize(
    ("record", "method", "path"),
    [
        # The new file is removed again.
        (Document, "save", "documents"),
        (Document, "delete", "documents/{document}"),
        (Party, "delete", "parties/{party}"),
        (Entity, "delete", ""),
    ],
    ids=["replaced", "removed", "with its party", "with its entity"],
)
def test_a_file_stays_where_its_removal_is_undone(
    caller: Caller, entity: str, monkeypatch: pytest.MonkeyPatch, record: type[Model], method: str, path: str
) -> None:
    party = caller.person(entity, "director")
    document = upload(caller, entity, **passport_of(party)).json()["data"]["id"]
    monkeypatch.setattr(record, method, burst)
    if method == "save":
        answer = upload(caller, entity, PDF + b"2", **passport_of(party))
    else:
        answer = caller.delete(f"/entities/{entity}/{path.format(document=document, party=party)}".rstrip("/"))
    problem(answer, 500, "internal_error")
    assert [file.name for file in on_disk(entity)] == [document]
    assert caller.get(f"/entities/{entity}/documents/{document}/download").status_code == 200


def test_the_name_of_a_file_leads_nowhere(caller: Caller, entity: str) -> None:
    for name in ("../../etc/passwd", "C:\\Windows\\plan.pdf", 'a"b\u202e.pdf'):
        document = upload(caller, entity, name=name).json()["data"]
        assert not set(document["name"]) & set("/\\\u202e")
        assert document["id"] in {file.name for file in on_disk(entity)}
