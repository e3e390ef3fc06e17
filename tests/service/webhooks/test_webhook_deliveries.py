"""`manage.py webhook_deliveries` lists the dead, shows one with its tries, and sends again."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from formation_portal.service.models import EventDelivery
from formation_portal.service.webhooks import sending
from formation_portal.service.webhooks.sending import send_due
from tests.service.caller import Caller

from .receiver import Receiver

pytestmark = pytest.mark.django_db(databases=["service"])


def run_command(*arguments: str) -> str:
    output = StringIO()
    call_command("webhook_deliveries", *arguments, stdout=output)
    return output.getvalue()


@pytest.fixture
def dead(caller: Caller, receiver: Receiver, secret: str, monkeypatch: pytest.MonkeyPatch) -> EventDelivery:
    """One that was given up, beside one that was delivered."""
    caller.entity()
    send_due()
    receiver.status = 410
    caller.entity()
    with monkeypatch.context() as once:
        once.setattr(sending, "MAX_TRIES", 1)
        send_due()
    return EventDelivery.objects.exclude(dead_at=None).get()


def test_the_dead_are_listed_without_their_target_in_full(dead: EventDelivery) -> None:
    listed = run_command()
    assert f"{dead.pk}  dead  entity.created  {dead.event.id}  {dead.about}" in listed
    assert "1 dead, 0 waiting, 1 delivered" in listed
    assert "hidden" not in listed
    assert run_command("list", "--state", "delivered").count("entity.created") == 1
    assert run_command("list", "--state", "all", "--limit", "1").count("entity.created") == 1
    assert "refused 410" in run_command("show", str(dead.pk))


def test_sending_once_says_how_much_was_delivered(
    caller: Caller, receiver: Receiver, secret: str, capsys: pytest.CaptureFixture[str]
) -> None:
    caller.entity()
    call_command("webhooks", "--once")
    assert "1 events delivered" in capsys.readouterr().out


@pytest.mark.parametrize("choice", ["one", "--all-dead"])
def test_the_dead_are_sent_again_under_their_ids_when_that_is_said(
    dead: EventDelivery, receiver: Receiver, choice: str
) -> None:
    for arguments, words in (
        ([], "--all-dead"),
        ([str(dead.pk), "--all-dead"], "--all-dead"),
        ([str(dead.pk), "999999"], "There is no delivery 999999"),
    ):
        with pytest.raises(CommandError, match=words):
            call_command("webhook_deliveries", "again", *arguments)
    dead.refresh_from_db()
    assert dead.state == "dead"
    receiver.status = 204
    assert "1 will be sent again" in run_command("again", str(dead.pk) if choice == "one" else choice)
    assert send_due() == 1, "what was delivered is not sent again"
    assert receiver.ids[-1] == dead.event.id
    dead.refresh_from_db()
    assert (dead.state, dead.attempts.count()) == ("delivered", 2)
