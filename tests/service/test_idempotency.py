import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from formation_portal.service import idempotency
from formation_portal.service.models import ApiKey, Entity, KeptAnswer
from tests.encrypted_rows import update_each
from tests.service import example_catalog
from tests.service.caller import Caller, problem

pytestmark = pytest.mark.django_db(databases=["service"])

BODY = {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, "name": "Larkfield"}


def create(caller: Caller, key: str = "key-1", **more: Any) -> Any:
    return caller.post("/entities", {**BODY, **more}, Idempotency_Key=key)


def test_the_same_key_and_body_answer_as_the_first_time(caller: Caller, other_account: Caller) -> None:
    first, again = create(caller), create(caller)
    assert (again.status_code, again.content) == (201, first.content)
    assert again["Content-Type"] == first["Content-Type"]
    assert again["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first
    reordered = caller.post("/entities", dict(reversed(BODY.items())), Idempotency_Key="key-1")
    assert reordered.content == first.content
    assert Entity.objects.count() == 1
    assert create(other_account).json()["data"]["id"] != first.json()["data"]["id"]
    caller.post("/entities", BODY)
    caller.post("/entities", BODY)
    assert Entity.objects.count() == 4, "without a key each call happens"


def test_the_same_key_with_another_body_or_one_of_another_shape_is_refused(caller: Caller) -> None:
    create(caller)
    problem(create(caller, name="Other"), 422, "idempotency_key_reused")
    problem(caller.post("/entities/x/submit", Idempotency_Key="key-1"), 422, "idempotency_key_reused")
    for key in ("", "ä", "x" * 256, "two words"):
        problem(create(caller, key), 422, "validation_failed")
    assert Entity.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "status", "code"), [(b"{", 400, "malformed_json"), (b'{"colour": "red"}', 422, "validation_failed")]
)
def test_a_refusal_is_the_first_answer_too(caller: Caller, body: bytes, status: int, code: str) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller.key}", "Idempotency-Key": "key-1"})
    first, again = (client.post("/api/v1/entities", body, content_type="application/json") for _ in range(2))
    problem(again, status, code)
    assert (again.content, again["Idempotent-Replayed"]) == (first.content, "true")


def test_of_a_deleted_entity_only_the_id_is_kept_and_all_of_every_other(caller: Caller) -> None:
    deleted = create(caller, "key-1", name="Larkfield").json()["data"]["id"]
    other = create(caller, "key-2", name="Northwind")
    assert caller.delete(f"/entities/{deleted}").status_code == 204
    assert create(caller, "key-1", name="Larkfield").json() == {"data": {"id": deleted}}
    again = create(caller, "key-2", name="Northwind")
    assert again.content == other.content
    assert again.json()["data"]["name"] == "Northwind"


def test_a_key_counts_for_seven_days_and_is_then_swept_out(caller: Caller) -> None:
    create(caller)
    age(timedelta(days=6, hours=23))
    assert "Idempotent-Replayed" in create(caller)
    age(timedelta(days=7, hours=1))
    assert "Idempotent-Replayed" not in create(caller)
    assert Entity.objects.count() == 2
    assert "Idempotent-Replayed" in create(caller)
    age(timedelta(days=8))
    create(caller, "key-2")
    idempotency.delete_old_answers()
    assert [row.idempotency_key for row in KeptAnswer.objects.all()] == ["key-2"]


def age(by: timedelta) -> None:
    KeptAnswer.objects.update(started_at=timezone.now() - by)


def test_while_the_first_is_running_the_second_waits_and_takes_over_from_one_that_died(
    caller: Caller, settings: Any
) -> None:
    create(caller)
    update_each(KeptAnswer.objects, status=None, body=b"")
    answer = create(caller)
    problem(answer, 409, "request_in_progress")
    assert answer["Retry-After"] == "1"
    age(timedelta(seconds=settings.SERVICE_GIVEN_UP_SECONDS + 1))
    problem(create(caller, name="Other"), 422, "idempotency_key_reused")
    assert create(caller).status_code == 201


def test_what_failed_on_our_side_or_was_taken_over_undoes_its_work_and_may_be_sent_again(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def burst(*_: object) -> None:
        raise RuntimeError

    def slow(_: Entity) -> None:
        KeptAnswer.objects.update(attempt="another")

    for work, status, code in ((burst, 500, "internal_error"), (slow, 409, "request_in_progress")):
        with monkeypatch.context() as patch:
            patch.setattr("formation_portal.service.webhooks.events.entity_created", work)
            problem(create(caller, code), status, code)
        assert Entity.objects.count() == 0
    assert create(caller, "internal_error").status_code == 201


@pytest.mark.django_db(databases=["service"], transaction=True)
def test_of_two_at_once_one_works_and_nothing_is_made_twice(caller: Caller) -> None:
    at_once = threading.Barrier(4)

    def send(_: int) -> Any:
        at_once.wait()
        answer = create(Caller(caller.key), "race")
        connections.close_all()
        return answer

    with ThreadPoolExecutor(4) as senders:
        answers = list(senders.map(send, range(4)))
    assert Entity.objects.count() == 1
    assert {answer.status_code for answer in answers} <= {201, 409}
    made = {answer.json()["data"]["id"] for answer in answers if answer.status_code == 201}
    assert made == {Entity.objects.get().id}
    assert create(caller, "race").json()["data"]["id"] in made
    assert ApiKey.objects.count() == 1
