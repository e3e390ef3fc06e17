"""A code opens once, soon, and not to somebody who guesses."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.invitations import codes, parts
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from tests.invitations import mailbox

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def aged(invitation: Invitation, **by: float) -> None:
    """As if the code had been sent so long ago."""
    invitation.refresh_from_db()
    assert invitation.code_sent_at is not None
    invitation.code_sent_at -= timedelta(**by)
    invitation.save()


def wrong() -> str:
    return f"{(int(mailbox.latest_code()) + 1) % 1_000_000:06}"


@pytest.mark.parametrize(
    "typed",
    [
        str,
        lambda code: f" {code[:3]}-{code[3:]} ",
        lambda code: f"{code[:3]}\u00a0{code[3:]}",
        lambda code: "".join(chr(0x0660 + int(digit)) for digit in code),
    ],
    ids=["as it is", "with a hyphen", "with a space", "in Arabic digits"],
)
def test_the_right_code_opens_once_however_it_is_typed(invitation: Invitation, typed: Callable[[str], str]) -> None:
    codes.send_code(invitation)
    code = typed(mailbox.latest_code())
    assert codes.try_code(invitation, code)
    assert not codes.try_code(invitation, code)


def test_after_five_wrong_guesses_not_even_the_right_code_opens(invitation: Invitation) -> None:
    codes.send_code(invitation)
    for left in (4, 3, 2, 1, 0):
        assert not codes.try_code(invitation, wrong())
        invitation.refresh_from_db()
        assert codes.tries_left(invitation, now=timezone.now()) == left
    assert not codes.try_code(invitation, mailbox.latest_code())


@pytest.mark.parametrize(("minutes", "opens"), [(9.9, True), (10, False)])
def test_a_code_lasts_for_ten_minutes(invitation: Invitation, minutes: float, opens: bool) -> None:
    codes.send_code(invitation)
    aged(invitation, minutes=minutes)
    assert codes.try_code(invitation, mailbox.latest_code()) is opens


def test_a_second_press_sends_no_second_code(invitation: Invitation) -> None:
    codes.send_code(invitation)
    codes.send_code(invitation)
    assert Email.objects.filter(kind="code").count() == 1


def test_another_code_or_invitation_takes_the_place_of_the_first(
    invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any
) -> None:
    codes.send_code(invitation)
    first = mailbox.latest_code()
    aged(invitation, minutes=1)
    codes.send_code(invitation)
    second = mailbox.latest_code()
    assert first == second or not codes.try_code(invitation, first)
    parts.invite(draft, ada, email="new@example.com", by=owner, language="en")
    assert not codes.try_code(invitation, second)


def test_ten_codes_a_day_are_enough(invitation: Invitation) -> None:
    for _ in range(codes.MAX_CODES_A_DAY):
        codes.send_code(invitation)
        aged(invitation, minutes=1)
    with pytest.raises(codes.TooMany):
        codes.send_code(invitation)
    invitation.refresh_from_db()
    invitation.codes_since = timezone.now() - timedelta(days=1)
    invitation.save()
    codes.send_code(invitation)


def test_neither_key_nor_code_is_kept(invitation: Invitation) -> None:
    codes.send_code(invitation)
    [row] = Invitation.objects.values()
    key = mailbox.latest_link("invitation").partition("key=")[2]
    assert len(key) >= 43
    for secret in (key, mailbox.latest_code()):
        assert not [name for name, value in row.items() if secret in str(value)]


def test_an_empty_code_never_fits(invitation: Invitation) -> None:
    assert not codes.try_code(invitation, "")
    codes.send_code(invitation)
    for typed in ("", "abc", "0" * 5000, "²" * 6):
        assert not codes.try_code(invitation, typed)
