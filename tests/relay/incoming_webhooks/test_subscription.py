"""`manage.py register_webhook` subscribes where the service has the call, and keeps the secret to itself."""

import itertools
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.environment import Environment
from formation_portal.gateway import FormationService
from formation_portal.relay import incoming_webhooks
from formation_portal.relay.management.commands import register_webhook
from formation_portal.relay.models import ReceivedEvent
from formation_portal.service.models import EventDelivery, Subscription
from formation_portal.service.webhooks.sending import body_of, secret_of, signed_headers
from tests.relay.flaky_transport import FlakyTransport, answers

from .conftest import SECRET, event, post, written

pytestmark = pytest.mark.django_db(databases=["default", "service"])


Register = Callable[..., str]


@pytest.fixture
def register(settings: Any, tmp_path: Path, transport: FlakyTransport, capsys: pytest.CaptureFixture[str]) -> Register:
    """Run the command; return everything that it writes."""
    # After the key to the service was made.
    settings.DATA_DIR = tmp_path

    def run(*arguments: str) -> str:
        call_command("register_webhook", *arguments)
        output = capsys.readouterr()
        return output.out + output.err

    return run


def test_the_portal_subscribes_and_verifies_what_the_service_then_signs(
    register: Register, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    output = register("--wait=0")
    row = Subscription.objects.get()
    assert row.url == f"{settings.PORTAL_URL}/webhooks/formation-service/"
    assert row.url in output
    assert incoming_webhooks.signing_secrets() == (secret_of(row.id),)
    assert stat.S_IMODE((Path(settings.DATA_DIR) / StoredSecret.WEBHOOK_SECRET).stat().st_mode) == 0o600
    assert secret_of(row.id) not in output + caplog.text
    body = written(event())
    assert post(body, signed_headers(row.id, event_id="evt_1", body=body, at=timezone.now())).status_code == 200
    assert ReceivedEvent.objects.count() == 1


def test_a_second_time_changes_nothing_unless_it_is_asked_for(register: Register) -> None:
    register("--wait=0")
    first = incoming_webhooks.signing_secrets()
    assert "subscribed already" in register("--wait=0")
    assert incoming_webhooks.signing_secrets() == first
    register("--wait=0", "--anew")
    assert incoming_webhooks.signing_secrets() != first
    secret_store.delete(StoredSecret.WEBHOOK_SECRET)
    register("--wait=0")
    assert incoming_webhooks.signing_secrets() == (secret_of(Subscription.objects.get().id),)
    assert Subscription.objects.count() == 1, "the earlier one is ended"


@pytest.fixture
def _service_tests_at_once(transport: FlakyTransport) -> None:
    """The embedded service posts a test event before it answers the request for one."""

    def posts_at_once(transport: FlakyTransport, request: Any, more: Any) -> Any:
        response = transport._within.send(request)
        delivery = EventDelivery.objects.select_related("event").latest("pk")
        body, event_id = body_of(delivery.event), delivery.event.id
        post(body, signed_headers(delivery.subscription_id, event_id=event_id, body=body, at=timezone.now()))
        return response

    transport.fail_on("POST webhooks/test", posts_at_once)


@pytest.mark.usefixtures("_service_tests_at_once")
def test_a_test_event_arrives_or_its_refusal_is_reported(settings: Any, register: Register) -> None:
    assert "The test event arrived." in register()
    received = ReceivedEvent.objects.get()
    assert (received.kind, received.about) == ("webhook.test", "")
    # A second run tests the subscription that is there.
    assert "WEBHOOK_SCHEME=standard is set." in register()
    settings.WEBHOOK_SCHEME = "plain"
    output = register("--scheme=plain")
    assert "The test event was rejected. 1 event was rejected because they are signed in another way" in output
    assert "Set WEBHOOK_SCHEME to the scheme of the formation service." in output


def test_a_lost_test_event_is_reported(register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = itertools.count(0, 10)
    monkeypatch.setattr(register_webhook.time, "monotonic", lambda: next(moments))
    monkeypatch.setattr(register_webhook.time, "sleep", lambda seconds: None)
    assert "The test event did not arrive within 15 seconds." in register()


def test_a_subscription_needs_no_test_event(transport: FlakyTransport, register: Register) -> None:
    transport.fail_on("POST webhooks/test", answers(404))
    output = register()
    assert "Subscribed: " in output
    assert "cannot send a test event" in output


def test_a_terminal_is_asked_for_the_scheme(register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    answers_typed = iter(("HMAC", " Plain "))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda question: next(answers_typed))
    output = register()
    assert "standard: Standard Webhooks" in output
    assert "Set WEBHOOK_SCHEME=plain" in output


def test_a_service_without_the_call_leaves_it_to_a_setting(
    transport: FlakyTransport, settings: Any, register: Register
) -> None:
    transport.fail_on("GET webhooks", answers(405))
    with pytest.raises(CommandError, match="set WEBHOOK_SECRET"):
        register("--wait=0")
    settings.WEBHOOK_SECRET = SECRET
    output = register("--wait=0")
    assert "WEBHOOK_SECRET is set" in output
    assert SECRET not in output


def test_an_answer_without_a_secret_keeps_the_one_before(
    transport: FlakyTransport, service: FormationService, register: Register
) -> None:
    register("--wait=0")
    first = incoming_webhooks.signing_secrets()
    transport.fail_on("POST webhooks", answers(201, {"data": {"id": "wh_1", "secret": None}}))
    with pytest.raises(CommandError, match="Not subscribed"):
        register("--wait=0", "--anew")
    assert incoming_webhooks.signing_secrets() == first
    assert len(service.webhooks()) == 1


@pytest.mark.parametrize("secret", ["whsec_", "whsec_%", f"{SECRET} whsec_="])
def test_a_secret_that_can_verify_nothing_stops_the_start(monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    monkeypatch.setenv("WEBHOOK_SECRET", secret)
    with pytest.raises(ValueError, match="webhook_secret"):
        Environment()
    monkeypatch.setenv("WEBHOOK_SCHEME", "plain")
    assert Environment().webhook_secret == secret
