"""`manage.py register_webhook` subscribes where the service has the call, and keeps the secret to itself."""

import stat
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.environment import Environment
from formation_portal.gateway import FormationService
from formation_portal.relay import incoming_webhooks
from formation_portal.relay.models import ReceivedEvent
from formation_portal.service.models import Subscription
from formation_portal.service.webhooks.sending import secret_of, signed_headers
from tests.relay.flaky_transport import FlakyTransport, answers

from .conftest import SECRET, event, post, written

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture(autouse=True)
def _an_empty_folder(settings: Any, tmp_path: Path, transport: FlakyTransport) -> None:
    # After the key to the service was made.
    settings.DATA_DIR = tmp_path


def registered(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command("register_webhook", *arguments)
    return capsys.readouterr().out


def test_the_portal_subscribes_and_verifies_what_the_service_then_signs(
    settings: Any, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    output = registered(capsys)
    row = Subscription.objects.get()
    assert row.url == f"{settings.PORTAL_URL}/webhooks/formation-service/"
    assert row.url in output
    assert incoming_webhooks.signing_secrets() == (secret_of(row.id),)
    assert stat.S_IMODE((Path(settings.DATA_DIR) / StoredSecret.WEBHOOK_SECRET).stat().st_mode) == 0o600
    assert secret_of(row.id) not in output + caplog.text
    from django.utils import timezone

    body = written(event())
    assert post(body, signed_headers(row.id, event_id="evt_1", body=body, at=timezone.now())).status_code == 200
    assert ReceivedEvent.objects.count() == 1


def test_a_second_time_changes_nothing_unless_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    registered(capsys)
    first = incoming_webhooks.signing_secrets()
    assert "subscribed already" in registered(capsys)
    assert incoming_webhooks.signing_secrets() == first
    registered(capsys, "--anew")
    assert incoming_webhooks.signing_secrets() != first
    assert Subscription.objects.count() == 1, "the earlier one is ended"


def test_a_lost_secret_is_replaced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    registered(capsys)
    secret_store.delete(StoredSecret.WEBHOOK_SECRET)
    registered(capsys)
    assert incoming_webhooks.signing_secrets() == (secret_of(Subscription.objects.get().id),)


def test_an_earlier_subscription_that_is_gone_already_is_no_fault(
    transport: FlakyTransport, capsys: pytest.CaptureFixture[str]
) -> None:
    registered(capsys)
    transport.fail_on("DELETE webhooks", answers(404))
    assert "Subscribed" in registered(capsys, "--anew")


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_service_without_the_call_leaves_it_to_a_setting(
    status: int, transport: FlakyTransport, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    transport.fail_on("GET webhooks", answers(status))
    with pytest.raises(CommandError, match="set WEBHOOK_SECRET"):
        registered(capsys)
    settings.WEBHOOK_SECRET = SECRET
    output = registered(capsys)
    assert "WEBHOOK_SECRET is set" in output
    assert SECRET not in output


def test_an_answer_without_a_secret_keeps_the_one_before(
    transport: FlakyTransport, service: FormationService, capsys: pytest.CaptureFixture[str]
) -> None:
    registered(capsys)
    first = incoming_webhooks.signing_secrets()
    transport.fail_on("POST webhooks", answers(201, {"data": {"id": "wh_1", "secret": None}}))
    with pytest.raises(CommandError, match="Not subscribed"):
        registered(capsys, "--anew")
    assert incoming_webhooks.signing_secrets() == first
    assert len(service.webhooks()) == 1


@pytest.mark.parametrize("secret", ["whsec_", "whsec_%", f"{SECRET} whsec_="])
def test_a_secret_that_can_verify_nothing_stops_the_start(monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    monkeypatch.setenv("WEBHOOK_SECRET", secret)
    with pytest.raises(ValueError, match="webhook_secret"):
        Environment()
    monkeypatch.setenv("WEBHOOK_SCHEME", "plain")
    assert Environment().webhook_secret == secret
