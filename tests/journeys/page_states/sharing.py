"""States of sharing, for pictures and barriers: an invitation for its owner, and a part for its guest."""

from collections.abc import Iterator
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.utils import timezone
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import Draft
from formation_portal.invitations import codes, collaborators, parts
from formation_portal.invitations.models import Invitation
from tests import factories
from tests.invitations import mailbox
from tests.journeys.page_states.screenshots import Shot, open_folds, press


def sharing_states() -> Iterator[Shot]:
    """The demo's customer invites Ada, who does her part as nobody."""
    owner = get_user_model().objects.get(email="demo@example.com")
    draft = factories.new_draft(owner)
    ada = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    root = f"/applications/{draft.application.reference}/"
    page = f"{root}people/{ada.token}/invitation/"
    yield Shot("invitation", page)
    yield Shot("invitation-refused", page, act=_send_nowhere)
    parts.invite(draft, draft.parties[0], email="ada@example.com", by=owner, language="en")
    Invitation.objects.update(sent_at=timezone.now() - timedelta(days=2))
    yield Shot("invitation-sent", page)
    yield Shot("people-invited", f"{root}people/")
    yield Shot("overview-turns", root)
    yield Shot("applications-turns", "/applications/")
    yield from _part(draft)
    yield from _access(draft, root)


def _send_nowhere(tab: Tab) -> None:
    tab.get_by_role("textbox", name="Their e-mail address").fill("ada")
    press(tab, "Send invitation")


def _part(draft: Draft) -> Iterator[Shot]:
    invitation = parts.invitations_of(draft)[draft.parties[0].token]
    url = f"/part/{invitation.reference}/"
    yield Shot("part-unknown", url, who="nobody")
    yield Shot("part-code", mailbox.latest_link("invitation"), who="nobody")
    codes.send_code(invitation)
    yield Shot("part-code-sent", url, who="nobody")
    yield Shot("part-code-wrong", url, who="nobody", act=_guess)
    yield Shot("part", url, who="nobody", act=_enter)
    yield Shot("part-missing", url, who="nobody", act=lambda tab: press(tab, "I have finished"))
    services.add_document(draft, draft.parties[0], "Passport", factories.upload(), by=draft.application.owner)
    yield Shot("part-completion", url, who="nobody", act=lambda tab: press(tab, "I have finished"))
    yield Shot("part-errors", f"{url}?again=1", who="nobody", act=_type_nonsense)
    Invitation.objects.update(expires_at=timezone.now())
    yield Shot("part-expired", url, who="nobody")


def _guess(tab: Tab) -> None:
    tab.get_by_role("textbox", name="Code").fill("12")
    press(tab, "Open your part")


def _enter(tab: Tab) -> None:
    tab.get_by_role("textbox", name="Code").fill(mailbox.latest_code())
    press(tab, "Open your part")


def _type_nonsense(tab: Tab) -> None:
    open_folds(tab)
    tab.get_by_label("Month").first.fill("13")
    press(tab, "Save and come back later")


def _access(draft: Draft, root: str) -> Iterator[Shot]:
    owner, reader = draft.application.owner, get_user_model().objects.get(email="agent@example.com")
    collaborators.share_with(draft, email=reader.email, right=Right.VIEW, by=owner, language="en")
    yield Shot("collaboration", mailbox.latest_link("collaboration"), who="agent")
    Collaborator.objects.update(user=reader, accepted_at=timezone.now(), key_digest=None)
    far = "wilhelmina.van.der.meer@kestrel.example"
    collaborators.share_with(draft, email=far, right=Right.EDIT, by=owner, language="en")
    yield Shot("access", f"{root}access/")
    yield Shot("overview-to-read", root, who="agent")
    yield Shot("people-to-read", f"{root}people/", who="agent")
    yield Shot("collaboration-shut", "/collaboration/")
