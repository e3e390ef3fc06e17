"""Events that are refused are counted by their reason, whatever comes, and shown to operators and agents."""

import json
from contextlib import suppress
from datetime import UTC, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.relay.models import RefusedEvents
from formation_portal.relay.refused_events import refusal_notices, refused_events
from tests.markup import Markup

from .conftest import SECRET, WRONG, Sign, event, plain, post, standard, written

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BODY = written(event())


def late(sign: Sign) -> dict[str, str]:
    return sign(BODY, at=timezone.now() - timedelta(minutes=6))


def other_scheme(sign: Sign) -> dict[str, str]:
    return plain(BODY) if sign is standard else standard(BODY)


def by_another(sign: Sign) -> dict[str, str]:
    return sign(BODY, secret=WRONG)


def unsigned(sign: Sign) -> dict[str, str]:
    return {}


FORGED = {"time": late, "other_scheme": other_scheme, "signature": by_another, "unsigned": unsigned}


@pytest.mark.parametrize("reason", FORGED)
def test_a_refused_event_is_counted_by_its_reason(sign: Sign, reason: str) -> None:
    for _ in range(3):
        assert post(BODY, FORGED[reason](sign)).status_code == 401
    assert refused_events() == {reason: 3}
    row = RefusedEvents.objects.get()
    assert abs((timezone.now() - row.last_at).total_seconds()) < 60


def test_an_event_is_counted_where_there_is_no_secret_to_verify_it(sign: Sign) -> None:
    secret_store.delete(StoredSecret.WEBHOOK_SECRET)
    post(BODY, sign(BODY))
    assert refused_events() == {"no_secret": 1}


def test_signed_content_that_is_no_event_is_counted_too(sign: Sign) -> None:
    post(BODY, sign(BODY), "text/plain")
    post(b"[7]", sign(b"[7]"))
    assert refused_events() == {"content": 2}


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


def doctor(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    with suppress(SystemExit):
        call_command("doctor", "--json")
    checks: list[dict[str, str]] = json.loads(capsys.readouterr().out)["checks"]
    return [check for check in checks if check["check"] == "Events received"]


def test_doctor_names_the_reason_and_its_remedy(sign: Sign, capsys: pytest.CaptureFixture[str]) -> None:
    assert [check["verdict"] for check in doctor(capsys)] == ["ok"]
    post(BODY, by_another(sign))
    [check] = doctor(capsys)
    assert check["verdict"] == "look"
    assert check["found"].startswith("1 event was rejected because ")
    assert "Check WEBHOOK_SECRET" in check["remedy"]
    assert not {SECRET, WRONG, "evt_1"} & set(check["found"].split())


def test_the_desk_shows_it_beside_the_deliveries(sign: Sign, as_agent: Client) -> None:
    post(BODY, by_another(sign))
    post(BODY, by_another(sign))
    page = Markup(as_agent.get("/desk/deliveries/").content.decode())
    text = page.one("main").text
    assert "2 events were rejected because their signature does not match the secret" in text
    assert "Check WEBHOOK_SECRET" in text


def test_the_reasons_are_in_the_metrics(sign: Sign, settings: Any, as_nobody: Client) -> None:
    settings.METRICS_TOKEN = "t" * 40
    post(BODY, late(sign))
    text = as_nobody.get("/metrics", headers={"Authorization": f"Bearer {settings.METRICS_TOKEN}"}).content.decode()
    assert 'formation_events_refused{reason="time"} 1.0' in text
    assert 'formation_events_refused{reason="signature"} 0.0' in text
