"""What an owner does with an invitation: sends it, again, reminds, takes it back, and reads how far it has come."""

from contextlib import nullcontext
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.parties import PartyRow
from formation_portal.invitations import parts
from formation_portal.invitations.models import Closure, Invitation, InvitationStage, closure, current_stage
from formation_portal.mail.models import Email
from tests import factories
from tests.invitations import mailbox

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def key_of(kind: str) -> str:
    return mailbox.latest_link(kind).partition("key=")[2]


def stage(invitation: Invitation) -> InvitationStage:
    invitation.refresh_from_db()
    return current_stage(invitation, now=timezone.now())[0]


def shut(invitation: Invitation, *, round_: int | None = None) -> Closure | None:
    found = parts.find_by_reference(invitation.reference)
    assert found is not None
    round_ = found.round if round_ is None else round_
    return closure(found, now=timezone.now(), round_=round_, epoch=found.session_epoch)


def aged(invitation: Invitation, **by: float) -> None:
    invitation.refresh_from_db()
    for name in ("sent_at", "expires_at", "nudged_at"):
        if at := getattr(invitation, name):
            setattr(invitation, name, at - timedelta(**by))
    invitation.save()


def test_an_email_holds_the_link_and_a_second_press_sends_no_second_email(
    invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any
) -> None:
    assert mailbox.latest_mail("invitation").to == "ada@example.com"
    assert parts.find_by_key(key_of("invitation")) == invitation
    parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")
    assert Email.objects.filter(kind="invitation").count() == 1
    assert str(draft.application.changes.latest("pk")) == "Invited Ada to fill in their part"


def test_sent_again_the_old_link_opens_nothing(invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any) -> None:
    old, round_ = key_of("invitation"), invitation.round
    aged(invitation, days=15)
    assert shut(invitation) is Closure.EXPIRED
    parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")
    assert str(draft.application.changes.latest("pk")) == "Sent Ada a new invitation"
    assert parts.find_by_key(old) is None
    assert shut(invitation) is None
    assert shut(invitation, round_=round_) is Closure.REPLACED
    assert stage(invitation) is InvitationStage.SENT


def test_leaving_an_earlier_link_ends_no_session_of_the_next(
    invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any
) -> None:
    earlier_round, epoch = invitation.round, invitation.session_epoch
    aged(invitation, days=15)
    parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")
    parts.end_sessions(invitation.reference, round_=earlier_round, epoch=epoch)
    assert shut(invitation) is None
    invitation.refresh_from_db()
    assert invitation.session_epoch == epoch
    parts.end_sessions(invitation.reference, round_=invitation.round, epoch=epoch)
    invitation.refresh_from_db()
    assert invitation.session_epoch == epoch + 1


def test_it_is_shut_while_it_is_taken_back_or_its_party_is_removed_and_goes_with_the_draft(
    invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any
) -> None:
    parts.withdraw(draft, ada, by=owner)
    assert stage(invitation) is InvitationStage.WITHDRAWN
    assert shut(invitation) is Closure.WITHDRAWN
    parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")
    assert shut(invitation) is None
    services.remove_party(draft, ada, by=owner)
    assert shut(invitation) is Closure.WITHDRAWN
    services.restore_party(draft, ada.token, by=owner)
    assert shut(invitation) is None
    services.delete_draft(draft.application, by=owner)
    assert not Invitation.objects.exists()


def test_it_is_shut_while_the_application_is_submitted(complete_part: Invitation, complete: Draft, owner: Any) -> None:
    services.submit(complete, by=owner)
    assert shut(complete_part) is Closure.NOT_OPEN
    services.reopen(complete, reason="Returned")
    assert shut(complete_part) is None


@pytest.mark.parametrize(("after_the_end", "reason"), [(-1, None), (0, Closure.EXPIRED)])
def test_it_is_shut_from_the_moment_at_which_it_ends(
    invitation: Invitation, after_the_end: int, reason: Closure | None
) -> None:
    now = invitation.expires_at + timedelta(microseconds=after_the_end)
    assert closure(invitation, now=now, round_=invitation.round, epoch=invitation.session_epoch) is reason


def test_a_reminder_goes_once_a_day_at_most(invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any) -> None:
    for hours, is_due in ((0, False), (24, True), (0, False), (23.9, False), (0.2, True)):
        aged(invitation, hours=hours)
        with nullcontext() if is_due else pytest.raises(parts.TooSoon):
            parts.remind(draft, ada, by=owner)
    assert Email.objects.filter(kind="nudge").count() == 2


def test_a_reminder_brings_a_link_and_shuts_nothing(
    invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any
) -> None:
    aged(invitation, days=2)
    before = invitation.expires_at
    parts.remind(draft, ada, by=owner)
    found = parts.find_by_key(key_of("nudge"))
    assert found is not None
    assert (found.round, found.expires_at) == (invitation.round, before)
    assert parts.find_by_key(key_of("invitation")) is None


def fill_in(draft: Draft, ada: PartyRow, owner: Any) -> None:
    services.save_party(draft, ada, factories.ADA, version=ada.version, by=owner)
    services.add_document(draft, draft.parties[0], "Passport", factories.upload(), by=owner)


@pytest.mark.parametrize("ended", ["withdrawn_at", "done_at", "expires_at"])
def test_nobody_is_reminded_of_what_is_over(
    invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any, ended: str
) -> None:
    fill_in(draft, ada, owner)
    aged(invitation, days=2)
    setattr(invitation, ended, timezone.now())
    invitation.save()
    with pytest.raises(parts.NothingToSend):
        parts.remind(draft, ada, by=owner)


def test_a_part_with_something_missing_is_not_finished_and_its_guest_reminded_if_something_is_needed_again(
    invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any
) -> None:
    assert not parts.finish(draft, invitation)
    invitation.refresh_from_db()
    assert invitation.done_at is None
    assert not Email.objects.filter(kind="part_done").exists()
    fill_in(draft, ada, owner)
    assert parts.finish(draft, invitation)
    invitation.refresh_from_db()
    assert invitation.done_at is not None
    aged(invitation, days=2)
    services.remove_document(draft, draft.documents[0], by=owner)
    parts.remind(draft, ada, by=owner)
    assert Email.objects.filter(kind="nudge").count() == 1


def test_nothing_is_sent_where_the_invitation_fails(draft: Draft, ada: PartyRow, owner: Any) -> None:
    stored = open_draft(Application.objects.get(pk=draft.application.pk))
    services.remove_party(draft, ada, by=owner)
    with pytest.raises(services.Gone):
        parts.invite(stored, ada, email="ada@example.com", by=owner, language="en")
    assert not Email.objects.filter(kind="invitation").exists()


def test_a_guest_is_not_asked_to_choose_a_share_class(owner: Any) -> None:
    schema = deepcopy(factories.SCHEMA)
    (appointed_by,) = [one for one in schema["sections"][2]["person_fields"] if one["key"] == "appointed_by"]
    appointed_by["required"] = True
    draft = factories.new_draft(owner, schema=schema)
    services.add_share_class(draft, factories.ORDINARY, by=owner)
    raw = {"person.first_name": "Ada", "person.email": "ada@example.com", "xy.person.is_pep": "false"}
    services.add_party(draft, "person", ["director"], raw, by=owner, token="ada")
    to_guest = [need.field or need.slot for need in parts.needs_of_guest(draft, draft.parties[0])]
    to_owner = [need.field or need.slot for need in draft.needs_of_party("ada")]
    assert to_guest == ["person.last_name", "person.date_of_birth", "Passport"]
    assert to_owner == ["person.last_name", "person.date_of_birth", "xy.person.appointed_by", "Passport"]


SENT = datetime(2026, 11, 21, 9, tzinfo=UTC)
LATER, LATEST, END = (SENT + timedelta(days=days) for days in (1, 2, 14))


@pytest.mark.parametrize(
    ("moments", "now", "has_needs", "stage", "since"),
    [
        ({}, LATER, False, InvitationStage.SENT, SENT),
        ({"opened_at": LATER}, LATEST, False, InvitationStage.OPENED, LATER),
        ({"opened_at": LATER, "begun_at": LATEST}, LATEST, False, InvitationStage.IN_PROGRESS, LATEST),
        ({"opened_at": LATER, "begun_at": LATEST}, END, False, InvitationStage.EXPIRED, END),
        ({"done_at": LATEST}, END + timedelta(days=9), False, InvitationStage.DONE, LATEST),
        ({"withdrawn_at": LATEST, "done_at": LATER}, END, False, InvitationStage.WITHDRAWN, LATEST),
        ({"done_at": LATER}, LATEST, True, InvitationStage.IN_PROGRESS, LATER),
        ({"begun_at": LATER, "done_at": LATEST}, LATEST, True, InvitationStage.IN_PROGRESS, LATEST),
        ({"done_at": LATER}, END, True, InvitationStage.EXPIRED, END),
        ({"opened_at": LATER}, LATEST, True, InvitationStage.OPENED, LATER),
    ],
)
def test_the_stage_is_the_last_thing_that_counts(
    moments: dict[str, datetime], now: datetime, has_needs: bool, stage: InvitationStage, since: datetime
) -> None:
    invitation = Invitation(sent_at=SENT, expires_at=END, **moments)
    assert current_stage(invitation, now=now, has_needs=has_needs) == (stage, since)
    assert stage.waits is (stage in {InvitationStage.SENT, InvitationStage.OPENED, InvitationStage.IN_PROGRESS})
