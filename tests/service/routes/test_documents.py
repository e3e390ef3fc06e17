import hashlib
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model

from formation_portal.contract.lifecycle import State
from formation_portal.service.models import Document, Entity, Event, Party
from tests.service.caller import Caller, pointers, problem

# Files are removed after the commit, so these tests commit.
pytestmark = pytest.mark.django_db(databases=["service"], transaction=True)

PDF = b"%PDF-1.7\n1 0 obj\n"


def a_file(content: bytes = PDF, name: str = "passport.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, content_type="application/x-whatever")


def on_disk(entity: str) -> list[Path]:
    return sorted(Path(settings.SERVICE_DOCUMENTS, entity).glob("*"))


def test_a_document_of_a_party_is_kept_with_its_digest(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director")
    answer = caller.upload(
        f"/entities/{entity}/documents", file=a_file(), document_key="Passport", scope="party", party_id=party
    )
    assert answer.status_code == 201
    document = answer.json()["data"]  # type: ignore[attr-defined]
    assert document["id"].startswith("doc_")
    assert document | {"id": "", "created_at": ""} == {
        "id": "",
        "document_key": "Passport",
        "scope": "party",
        "party_id": party,
        "name": "passport.pdf",
        "mime_type": "application/pdf",
        "size": len(PDF),
        "sha256": hashlib.sha256(PDF).hexdigest(),
        "status": "pending",
        "created_at": "",
    }
    listed = caller.get(f"/entities/{entity}/documents?party_id={party}").json()["data"]
    assert listed == [caller.get(f"/entities/{entity}/documents/{document['id']}").json()["data"]] == [document]
    assert Event.objects.get(type="document.uploaded").data["document_id"] == document["id"]


def test_the_documents_of_one_party_are_listed_without_anybody_elses(caller: Caller, entity: str) -> None:
    mine, theirs = caller.person(entity, "director"), caller.person(entity, "director")
    for party in (mine, theirs):
        form = {"document_key": "Passport", "scope": "party", "party_id": party}
        caller.upload(f"/entities/{entity}/documents", file=a_file(), **form)
    caller.upload(f"/entities/{entity}/documents", file=a_file(), document_key="Business plan")
    listed = caller.get(f"/entities/{entity}/documents?party_id={mine}").json()["data"]
    assert [one["party_id"] for one in listed] == [mine]


def test_a_document_of_the_entity_needs_only_its_slot(caller: Caller, entity: str) -> None:
    answer = caller.upload(f"/entities/{entity}/documents", file=a_file(), document_key="Business plan")
    assert answer.status_code == 201
    assert answer.json()["data"]["scope"] == "entity"  # type: ignore[attr-defined]
    listed = caller.get(f"/entities/{entity}/documents?party_id={caller.person(entity, 'director')}")
    assert listed.json()["data"] == [], "it is no party's"


@pytest.mark.parametrize(
    ("content", "mime_type"),
    [
        (PDF, "application/pdf"),
        (b"\n\n" + PDF, "application/pdf"),
        (b"\xff\xd8\xff\xe0 picture", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n picture", "image/png"),
    ],
)
def test_the_content_says_what_a_file_is_and_comes_back(
    caller: Caller, entity: str, content: bytes, mime_type: str
) -> None:
    path = f"/entities/{entity}/documents"
    document = caller.upload(path, file=a_file(content, "plan.exe"), document_key="Business plan").json()["data"]  # type: ignore[attr-defined]
    assert document["mime_type"] == mime_type
    answer = caller.get(f"{path}/{document['id']}/download")
    assert b"".join(answer.streaming_content) == content
    assert answer["Content-Type"] == mime_type
    ending = {"image/jpeg": "jpg"}.get(mime_type, mime_type.partition("/")[2])
    named = f"{document['id']}-business-plan.{ending}"
    assert answer["Content-Disposition"] == f'attachment; filename="{named}"', "never as its sender has called it"


def test_a_later_upload_replaces_the_earlier_one(caller: Caller, entity: str) -> None:
    path = f"/entities/{entity}/documents"
    first = caller.upload(path, file=a_file(), document_key="Business plan").json()["data"]["id"]  # type: ignore[attr-defined]
    second = caller.upload(path, file=a_file(PDF + b"2"), document_key="Business plan").json()["data"]["id"]  # type: ignore[attr-defined]
    assert [one["id"] for one in caller.get(path).json()["data"]] == [second]
    problem(caller.get(f"{path}/{first}/download"), 404, "not_found")
    assert [file.name for file in on_disk(entity)] == [second]


def test_a_removed_document_leaves_no_file(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director")
    path = f"/entities/{entity}/documents"
    form = {"document_key": "Passport", "scope": "party", "party_id": party}
    document = caller.upload(path, file=a_file(), **form).json()["data"]["id"]  # type: ignore[attr-defined]
    assert caller.delete(f"{path}/{document}").status_code == 204
    assert on_disk(entity) == []
    caller.upload(path, file=a_file(), **form)
    caller.delete(f"/entities/{entity}/parties/{party}")
    assert on_disk(entity) == []
    caller.upload(path, file=a_file(), document_key="Business plan")
    caller.delete(f"/entities/{entity}")
    assert on_disk(entity) == []


def test_a_file_of_another_kind_is_refused(caller: Caller, entity: str) -> None:
    file = a_file(b"MZ a program", "passport.pdf")
    answer = caller.upload(f"/entities/{entity}/documents", file=file, document_key="Business plan")
    problem(answer, 415, "unsupported_media_type")
    assert pointers(answer) == ["/file"]


def test_an_empty_file_is_refused(caller: Caller, entity: str) -> None:
    answer = caller.upload(f"/entities/{entity}/documents", file=a_file(b""), document_key="Business plan")
    assert problem(answer, 422, "validation_failed")["detail"] == "The file is empty."
    assert pointers(answer) == ["/file"]


@pytest.mark.parametrize("excess", [1, 100_000])
def test_a_file_over_the_limit_is_refused(caller: Caller, entity: str, excess: int) -> None:
    file = a_file(PDF + b" " * (10 * 1024 * 1024 - len(PDF) + excess))
    answer = caller.upload(f"/entities/{entity}/documents", file=file, document_key="Business plan")
    problem(answer, 413, "too_large")


def test_a_file_at_the_limit_is_taken(caller: Caller, entity: str) -> None:
    file = a_file(PDF + b" " * (10 * 1024 * 1024 - len(PDF)))
    assert caller.upload(f"/entities/{entity}/documents", file=file, document_key="Business plan").status_code == 201


def test_a_slot_that_the_form_does_not_have_is_refused(caller: Caller, entity: str) -> None:
    answer = caller.upload(f"/entities/{entity}/documents", file=a_file(), document_key="Passport")
    problem(answer, 422, "unknown_field")
    assert pointers(answer) == ["/document_key"]


@pytest.mark.parametrize(
    ("form", "where"),
    [
        ({"scope": "party"}, "/party_id"),
        ({"party_id": "pty_" + "0" * 24}, "/scope"),
        ({"scope": "moon"}, "/scope"),
    ],
)
def test_a_scope_and_its_party_go_together(caller: Caller, entity: str, form: dict[str, str], where: str) -> None:
    answer = caller.upload(f"/entities/{entity}/documents", file=a_file(), document_key="Business plan", **form)
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == [where]


@pytest.mark.parametrize("missing", ["file", "document_key"])
def test_an_upload_needs_file_and_slot(caller: Caller, entity: str, missing: str) -> None:
    form = {"file": a_file(), "document_key": "Business plan"}
    del form[missing]
    answer = caller.upload(f"/entities/{entity}/documents", **form)
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == [f"/{missing}"]


def test_an_upload_is_multipart(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/documents", {"document_key": "Business plan"})
    problem(answer, 415, "unsupported_media_type")


def test_a_file_whose_record_fails_is_removed_again(
    caller: Caller, entity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def burst(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Document, "save", burst)
    answer = caller.upload(f"/entities/{entity}/documents", file=a_file(), document_key="Business plan")
    problem(answer, 500, "internal_error")
    assert on_disk(entity) == []


@pytest.mark.parametrize(
    ("record", "method", "path"),
    [
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
    form = {"document_key": "Passport", "scope": "party", "party_id": party}
    documents = f"/entities/{entity}/documents"
    document = caller.upload(documents, file=a_file(), **form).json()["data"]["id"]  # type: ignore[attr-defined]

    def burst(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(record, method, burst)
    if method == "save":
        answer = caller.upload(documents, file=a_file(PDF + b"2"), **form)
    else:
        answer = caller.delete(f"/entities/{entity}/{path.format(document=document, party=party)}".rstrip("/"))
    problem(answer, 500, "internal_error")
    assert [file.name for file in on_disk(entity)] == [document]
    assert caller.get(f"{documents}/{document}/download").status_code == 200


def test_the_name_of_a_file_leads_nowhere(caller: Caller, entity: str) -> None:
    path = f"/entities/{entity}/documents"
    for name in ("../../etc/passwd", "C:\\Windows\\plan.pdf", 'a"b\u202e.pdf'):
        answer = caller.upload(path, file=a_file(name=name), document_key="Business plan")
        shown = answer.json()["data"]["name"]  # type: ignore[attr-defined]
        assert not set(shown) & set("/\\\u202e")
    assert len(on_disk(entity)) == 1


def test_the_same_upload_with_the_same_key_happens_once(caller: Caller, entity: str) -> None:
    path = f"/entities/{entity}/documents"
    form = {"document_key": "Business plan", "idempotency_key": "plan-1"}
    first = caller.upload(path, file=a_file(), **form)
    again = caller.upload(path, file=a_file(), **form)
    assert again.content == first.content
    assert Document.objects.count() == 1
    problem(caller.upload(path, file=a_file(PDF + b"2"), **form), 422, "idempotency_key_reused")


def test_a_closed_entity_takes_and_loses_no_documents(caller: Caller, entity: str) -> None:
    path = f"/entities/{entity}/documents"
    document = caller.upload(path, file=a_file(), document_key="Business plan").json()["data"]["id"]  # type: ignore[attr-defined]
    Entity.objects.filter(id=entity).update(status=State.IN_REVIEW)
    problem(caller.upload(path, file=a_file(), document_key="Business plan"), 409, "invalid_state")
    problem(caller.delete(f"{path}/{document}"), 409, "invalid_state")
    assert len(on_disk(entity)) == 1
