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
