"""What goes with an account and what stays, what an export holds, and which copies retention removes."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import ScanState
from formation_portal.applications.models import Document
from formation_portal.invitations import parts
from formation_portal.invitations.collaborators import accept, share_with
from formation_portal.invitations.models import Invitation
from formation_portal.privacy.accounts import erase_account
from formation_portal.privacy.export import account_archive, export_account
from formation_portal.privacy.retention import erase_what_is_due
from formation_portal.relay.models import Delivery, DeliveryState, ResourceKind
from tests import factories
from tests.encrypted_rows import save_with
from tests.privacy.stages import aged, moved, started

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_access_of_others_stays_when_an_account_goes(complete: Draft, owner: Any, other_customer: Any) -> None:
    grace = User.objects.create_user("grace@example.com")
    for person in (other_customer, grace):
        accept(share_with(complete, email=person.email, right=Right.VIEW, by=owner, language="en"), by=person)
    erase_account(other_customer, by=None)
    assert list(Collaborator.objects.values_list("email", "user")) == [("grace@example.com", grace.pk)]


def test_where_somebody_was_signed_in_goes_with_the_account(owner: Any, other_customer: Any) -> None:
    for user, address in ((owner, "203.0.113.7"), (other_customer, "203.0.113.9")):
        UserSession.objects.create(user=user, ip=address, user_agent="Browser", session_key=f"key{user.pk}")
    erase_account(owner, by=None)
    assert list(UserSession.objects.values_list("ip", flat=True)) == ["203.0.113.9"]


def test_an_export_tells_when_an_invitation_was_sent_opened_and_done(complete: Draft, owner: Any) -> None:
    parts.invite(complete, complete.parties[0], email="ada@example.com", by=owner, language="en")
    sent = timezone.now().replace(year=2026, month=11, day=20, hour=9, minute=0, second=0, microsecond=0)
    moments = [sent + timedelta(hours=hours) for hours in (0, 2, 5)]
    Invitation.objects.update(sent_at=moments[0], opened_at=moments[1], done_at=moments[2])
    [application] = export_account(owner)[0]["applications"]
    assert application["invitations"] == [
        {
            "party": complete.parties[0].token,
            "email": "ada@example.com",
            "sent": "2026-11-20T09:00:00+00:00",
            "opened": "2026-11-20T11:00:00+00:00",
            "done": "2026-11-20T14:00:00+00:00",
        }
    ]


def test_an_export_holds_what_was_typed_as_it_was_typed(complete: Draft, owner: Any) -> None:
    [application] = export_account(owner)[0]["applications"]
    typed = application["typed"]
    assert typed["parties"]["ada"]["person.last_name"] == "Lovelace"
    assert typed["share_classes"]["ordinary"]["share_class.name"] == "Ordinary"
    assert typed["sections"]["the-company"]["entity.name"] == "Larkfield Holdings"
    assert {name: len(rows) for name, rows in typed.items() if name != "sections"} == {"parties": 1, "share_classes": 1}


@pytest.mark.parametrize("change", [{"scan": ScanState.WAITING}, {"copy_removed_at": timezone.now()}])
def test_a_file_that_nobody_may_open_or_that_is_not_here_is_listed_and_left_out(
    complete: Draft, owner: Any, change: dict[str, Any]
) -> None:
    content = factories.PDF[:8]
    assert content in b"".join(account_archive(owner))
    save_with(Document.objects.get(), **change)
    [application] = export_account(owner)[0]["applications"]
    assert [(one["name"], one["file"]) for one in application["files"]] == [("passport.pdf", None)]
    assert content not in b"".join(account_archive(owner))


def test_of_two_files_of_a_slot_the_replaced_one_goes_while_the_service_may_lack_the_other(
    owner: Any, agent: Any
) -> None:
    draft = started(owner)
    other = factories.upload(factories.PDF + b"\n%other\n", "other.pdf")
    services.add_document(draft, draft.party("ada"), "Passport", other, by=owner)
    old = aged(moved(draft, owner, agent, "submit", "begin_review", "decline"), days=31)
    Delivery.objects.filter(application=old, kind=ResourceKind.DOCUMENT).update(state=DeliveryState.WAITING)
    assert erase_what_is_due()["copies"] == 1
    assert [(one.name, one.has_copy) for one in Document.objects.order_by("pk")] == [
        ("passport.pdf", False),
        ("other.pdf", True),
    ]
