"""What is surely the service's is taken once; all else is refused in one and the same way, counted, and shown."""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from formation_portal.core.background import run_hourly_tasks
from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.relay.document_status import read_due_documents
from formation_portal.relay.incoming_webhooks import BODY_LIMIT
from formation_portal.relay.models import Delivery, ReceivedEvent, RefusedEvents
from formation_portal.relay.refused_events import refusal_notices, refused_events
from tests.markup import Markup
from tests.relay.flaky_transport import FlakyTransport, lost_before

from .conftest import SECRET, WRONG, Sign, event, plain, post, standard, written

pytestmark = pytest.mark.django_db(databases=["default", "service"])

LIST = "GET entities/documents"


def is_due() -> bool:
    return Delivery.objects.filter(kind="document", read_next_at__lte=timezone.now()).exists()


def shape(answer: Any) -> Any:
    headers = {name: value for name, value in answer.headers.items() if name not in ("Date", "X-Request-Id")}
    return (answer.status_code, answer.content, headers)


def test_an_event_is_kept_as_it_came_and_the_list_is_read(sign: Sign, entity: str, transport: FlakyTransport) -> None:
    body = written(event(entity))
    assert not is_due()
    answer = post(body, sign(body))
    assert (answer.status_code, answer.json()) == (200, {"status": "received"})
    row = ReceivedEvent.objects.get()
    assert (bytes(row.body), row.event_id, row.kind, row.about) == (body, "evt_1", "party.added", entity)
    assert transport.endpoints == [], "no call while the service waits for our answer"
    assert read_due_documents() == 1
    assert transport.endpoints == [LIST]


def test_an_id_seen_before_is_answered_alike_and_does_nothing(settings: Any, sign: Sign, entity: str) -> None:
    body = written(event(entity))
    post(body, sign(body))
    read_due_documents()
    for second in (body, written(event(entity, type="party.removed"))):
        assert post(second, sign(second)).status_code == 200
        assert not is_due()
        assert ReceivedEvent.objects.get().kind == "party.added"
    # An id that is not signed makes nothing new.
    is_plain = settings.WEBHOOK_SCHEME == "plain"
    other_id = {"X-Webhook-Id" if is_plain else "webhook-id": "evt_2"}
    assert post(body, sign(body) | other_id).status_code == (200 if is_plain else 401)
    assert ReceivedEvent.objects.count() == 1
    assert not is_due()


def test_what_says_nothing_to_us_is_kept_and_nothing_happens(sign: Sign, entity: str) -> None:
    nothing: list[dict[str, Any]] = [
        {"type": "moon.risen"},
        {"type": ["party.added"]},
        {"id": None},
        {"id": "two words"},
    ]
    nothing += [{"data": data} for data in ([], {"entity_id": 7}, {"entity_id": "ent\x00"}, {"entity_id": "ent_other"})]
    for index, more in enumerate(nothing):
        about = entity if "type" in more else "ent_unknown"
        body = written(event(about, **({"id": f"evt_{index}"} | more)))
        assert post(body, sign(body, name=f"evt_{index}")).status_code == 200
        assert ReceivedEvent.objects.count() == index + 1
    assert not is_due()


def forged(sign: Sign, body: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    """Headers that no event of the service has, by what is wrong with them."""
    yield "nothing signed", {}
    yield "late", sign(body, at=timezone.now() - timedelta(minutes=5, seconds=2))
    yield "early", sign(body, at=timezone.now() + timedelta(minutes=5, seconds=3))
    yield "another body", sign(body + b" ")
    yield "another secret", sign(body, secret=WRONG)
    replaced = [("signature", value) for value in ("", "v1", "v1,a,b v2 ,", "v1,%%%", "v1,\xe9")]
    replaced += [("timestamp", value) for value in ("yesterday", "nan", "9" * 400, "\xb2")]
    replaced += [("timestamp", str(int(timezone.now().timestamp()) - 60))]
    for name, value in replaced:
        headers = {key: value if key.lower().endswith(name) else header for key, header in sign(body).items()}
        yield f"{name} {value[:20]}", headers
    for name in ("signature", "timestamp"):
        yield f"no {name}", {key: header for key, header in sign(body).items() if not key.lower().endswith(name)}


def test_what_is_not_surely_the_services_is_refused_in_constant_shape(sign: Sign) -> None:
    body, refusal = written(event()), shape(post(b"", {}))
    for fault, headers in forged(sign, body):
        answer = post(body, headers)
        assert shape(answer) == refusal, fault
        assert (answer.status_code, answer.json()) == (401, {"status": "unauthorized"}), fault
    for other in (b"", b"[]", b"7", b"{", b"\xff\xfe", b"[" * 100_000):
        assert shape(post(other, sign(other))) == refusal, other[:9]
    for media_type in ("text/plain", "multipart/form-data", ""):
        assert shape(post(body, sign(body), media_type)) == refusal, media_type
    assert not ReceivedEvent.objects.exists()


@pytest.mark.parametrize("media_type", ["application/json", "multipart/form-data"])
def test_a_body_that_is_too_large_is_not_read(media_type: str, sign: Sign) -> None:
    body = b" " * (BODY_LIMIT + 1)
    answer = post(body, sign(body), media_type)
    assert (answer.status_code, answer.json()) == (413, {"status": "too_large"})
    assert shape(answer) == shape(post(body, {}, media_type))


def test_without_a_secret_nothing_is_taken(sign: Sign, settings: Any) -> None:
    secret_store.delete(StoredSecret.WEBHOOK_SECRET)
    body = written(event())
    assert post(body, sign(body)).status_code == 401
    settings.WEBHOOK_SECRET = f"{WRONG} {SECRET}"
    assert post(body, sign(body)).status_code == 200
    assert post(body, sign(body, secret=WRONG)).status_code == 200, "either of the two, while one replaces the other"


def test_nothing_that_was_sent_is_logged(sign: Sign, entity: str, caplog: pytest.LogCaptureFixture) -> None:
    body = written(event(entity, type="canary"))
    post(body, sign(body))
    post(body, sign(body, secret=WRONG))
    assert "Event refused" in caplog.text
    for word in ("canary", SECRET, WRONG, *sign(body).values()):
        assert word not in caplog.text


def test_an_event_during_a_failed_reading_is_not_lost(sign: Sign, entity: str, transport: FlakyTransport) -> None:
    first, second = written(event(entity)), written(event(entity, id="evt_2"))
    post(first, sign(first, name="evt_1"))

    def lost(transport: FlakyTransport, request: Any, more: Any) -> Any:
        post(second, sign(second, name="evt_2"))
        return lost_before(transport, request, more)

    transport.fail_on(LIST, lost, times=1)
    read_due_documents()
    assert is_due()


def test_old_events_are_deleted_on_the_round(transactional_db: None) -> None:
    for name, days in (("old", 31), ("fresh", 29)):
        ReceivedEvent.objects.create(event_id=name, body=b"")
        ReceivedEvent.objects.filter(event_id=name).update(received_at=timezone.now() - timedelta(days=days))
    run_hourly_tasks()
    assert ReceivedEvent.objects.get().event_id == "fresh"


BODY = written(event())


def by_another(sign: Sign) -> dict[str, str]:
    return sign(BODY, secret=WRONG)


def test_a_refused_event_is_counted_by_its_reason(sign: Sign) -> None:
    other_scheme = plain if sign is standard else standard
    late = sign(BODY, at=timezone.now() - timedelta(minutes=6))
    for headers in ({}, late, other_scheme(BODY), other_scheme(BODY), *[by_another(sign)] * 3):
        assert post(BODY, headers).status_code == 401
    post(BODY, sign(BODY), "text/plain")
    for body in (b"[7]", b"7", b"{"):
        post(body, sign(body))
    secret_store.delete(StoredSecret.WEBHOOK_SECRET)
    for _ in range(5):
        post(BODY, sign(BODY))
    assert refused_events() == {
        "unsigned": 1, "time": 1, "other_scheme": 2, "signature": 3, "content": 4, "no_secret": 5,
    }  # fmt: skip
    for row in RefusedEvents.objects.all():
        assert abs((timezone.now() - row.last_at).total_seconds()) < 60


def test_a_flood_of_forged_events_leaves_one_row_a_reason_and_nothing_of_their_content(sign: Sign) -> None:
    for number in range(30):
        body = written(event(id=f"evt_{number}"))
        post(body, sign(body, secret=WRONG, name=f"evt_{number}"))
        post(body, {"X-Webhook-Signature": str(number), "webhook-signature": str(number)})
    assert RefusedEvents.objects.count() <= len(RefusedEvents.Reason)
    assert sum(refused_events().values()) == 60
    assert "evt_" not in str(list(RefusedEvents.objects.values()))


def test_what_was_refused_more_than_a_day_ago_is_no_longer_reported(sign: Sign) -> None:
    post(BODY, by_another(sign))
    assert len(refusal_notices()) == 1
    RefusedEvents.objects.update(last_at=timezone.now() - timedelta(hours=24, minutes=1))
    assert refusal_notices() == []


def test_a_notice_says_how_many_why_and_when_last() -> None:
    """The time is that of the current zone: Kathmandu is 5:45 before UTC."""
    at = timezone.now() - timedelta(hours=2)
    RefusedEvents.objects.create(reason="no_secret", number=1_234, last_at=at)
    with timezone.override("Asia/Kathmandu"):
        [notice] = refusal_notices()
    shown = at.astimezone(UTC) + timedelta(hours=5, minutes=45)
    time = f"{shown.day}\u00a0{shown:%B}, {shown:%H:%M:%S}"
    assert notice == (
        f"1,234 events were rejected because the portal has no secret to verify them (last on {time}).",
        "Run manage.py register_webhook, or set WEBHOOK_SECRET.",
    )


def test_the_newest_refusal_is_told_first() -> None:
    for minutes, reason in enumerate(("time", "unsigned", "content")):
        RefusedEvents.objects.create(reason=reason, last_at=timezone.now() - timedelta(minutes=abs(minutes - 1)))
    assert next(iter(refusal_notices())).remedy == "Ask the formation service to sign its events."


def test_operators_and_agents_read_the_reason_and_its_remedy(
    sign: Sign, capsys: pytest.CaptureFixture[str], as_agent: Client, settings: Any, as_nobody: Client
) -> None:
    post(BODY, by_another(sign))
    post(BODY, by_another(sign))
    with suppress(SystemExit):
        call_command("doctor", "--json")
    checks = json.loads(capsys.readouterr().out)["checks"]
    [check] = [check for check in checks if check["check"] == "Events received"]
    assert check["verdict"] == "look"
    assert check["found"].startswith("2 events were rejected because ")
    assert "Check WEBHOOK_SECRET" in check["remedy"]
    assert not {SECRET, WRONG, "evt_1"} & set(check["found"].split())
    text = Markup(as_agent.get("/desk/deliveries/").content.decode()).one("main").text
    assert "2 events were rejected because their signature does not match the secret" in text
    assert "Check WEBHOOK_SECRET" in text
    settings.METRICS_TOKEN = "t" * 40
    metrics = as_nobody.get("/metrics", headers={"Authorization": f"Bearer {settings.METRICS_TOKEN}"}).content.decode()
    assert 'formation_events_refused{reason="signature"} 2.0' in metrics
    assert 'formation_events_refused{reason="time"} 0.0' in metrics
