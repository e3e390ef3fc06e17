"""The people of the table of access, each as a browser and what is arranged before it asks."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from django.test import Client, override_settings
from django.utils import timezone

from formation_portal.accounts.models import Right, User
from formation_portal.applications.models import Application, Party
from formation_portal.desk.models import Case
from formation_portal.invitations.models import Invitation
from tests import factories
from tests.access.world import (
    AGENT,
    APPLICANT,
    CLAIMANT,
    EDITOR,
    INVITED,
    NEWCOMER,
    NO_RIGHTS,
    OWNER,
    REVIEWER,
    STRANGER,
    VIEWER,
    World,
    undone,
)
from tests.accounts.people import add_app, app_code
from tests.invitations import mailbox

CASE_RIGHTS = {"own": Right.OWN_CASES, "all": Right.ALL_CASES}
OTHER_RIGHTS = [right.value for right in Right if right not in CASE_RIGHTS.values()]
# Columns of the desk that are an account as it stands.
STANDING = {
    "no right": NO_RIGHTS,
    "everything": REVIEWER,
    "claimed": CLAIMANT,
    "unclaimed": NEWCOMER,
    "applicant": APPLICANT,
}
# The columns of the desk and of the portal that an account is in.
COLUMNS_OF_ACCOUNT = {
    OWNER: ("customer", "owner"),
    STRANGER: ("customer", "stranger"),
    INVITED: ("customer", "invited"),
    VIEWER: ("customer", "viewer"),
    EDITOR: ("customer", "editor"),
    NO_RIGHTS: ("no right", "agent"),
    NEWCOMER: ("unclaimed", "agent"),
    CLAIMANT: ("claimed", "agent"),
    REVIEWER: ("everything", "agent"),
    APPLICANT: ("applicant", "editor"),
}


@contextmanager
def before_the_desk(world: World, name: str) -> Iterator[Client]:
    """Be somebody whom no page of the desk is for."""
    account = world.accounts[AGENT]
    with undone(), override_settings(AGENT_SECOND_FACTOR=name.startswith("agent")):
        browser = {"nobody": Client(), "customer": world.browsers[OWNER]}.get(name) or factories.browser_of(account)
        if name == "session ended":
            User.objects.filter(pk=account.pk).update(session_epoch=7)
        if name == "account disabled":
            User.objects.filter(pk=account.pk).update(is_active=False)
        if name == "agent with an unused second factor":
            add_app(account)
        yield browser


@contextmanager
def at_the_desk(world: World, column: str) -> Iterator[Client]:
    """Be the agent of a column of the desk. A right stands alone; with “all + ” before it beside all_cases."""
    if column in STANDING:
        yield world.browsers[STANDING[column]]
        return
    if column == "an hour ago":
        with an_hour_ago(world.accounts[REVIEWER]) as browser:
            yield browser
        return
    sets = {"reads": [], "reads, rights": OTHER_RIGHTS}
    rights = sets.get(column, [CASE_RIGHTS.get(part, part) for part in column.split(" + ")])
    account = world.accounts[AGENT]
    with undone(), override_settings(AGENTS_WITHOUT_RIGHTS="cases" if column in sets else "queue"):
        account.set_rights(rights)
        if column == "own":
            Case.objects.update(claimed_by=account, claimed_at=timezone.now())
        yield world.browsers[AGENT]


@contextmanager
def an_hour_ago(account: Any) -> Iterator[Client]:
    """Be somebody who signed in an hour ago and has used the portal since."""
    with undone():
        browser = factories.browser_of(account)
        make_an_hour_older(browser)
        yield browser


def make_an_hour_older(browser: Client) -> None:
    """Let an hour pass since the browser's holder last showed who they are."""
    session, then = browser.session, time.time() - 3600
    session["signed_in_at"] = then
    records = session.get("account_authentication_methods", [])
    session["account_authentication_methods"] = [record | {"at": then} for record in records]
    session.save()


def browser_of(world: World, column: str) -> Client:
    account = next(name for name, columns in COLUMNS_OF_ACCOUNT.items() if column in columns)
    return world.browsers[account]


def at_the_portal(world: World, column: str) -> AbstractContextManager[Client]:
    if column == "an hour ago":
        return an_hour_ago(world.accounts[OWNER])
    return nullcontext(world.browsers.get(column) or Client())


@contextmanager
def at_their_account(account: User, column: str) -> Iterator[Client]:
    """Be the holder of an account in the sign-in state of a column."""
    with undone():
        secret = add_app(account) if "factor" in column or "past" in column else ""
        browser = Client() if column == "nobody" else factories.browser_of(account)
        if "past" in column:
            use_second_factor(browser, secret)
        if "an hour ago" in column:
            make_an_hour_older(browser)
        yield browser


@contextmanager
def at_a_part(world: World, name: str) -> Iterator[Client]:
    """Be somebody who opened a part's link, and let happen to the part what the name says."""
    if name in ("nobody", OWNER, AGENT):
        yield world.browsers.get(name) or Client()
        return
    browser = Client()
    with undone():
        browser.get(world.strangers["draft"].link if name == "other guest" else world.own["draft"].link)
        reference = world.strangers["draft"].part if name == "other guest" else world.own["draft"].part
        if name != "link opened":
            code = f"/part/{reference}/code/"
            browser.post(code)
            browser.post(code, {"code": mailbox.latest_code()})
        _end_part(reference, name)
        yield browser


def _end_part(reference: str, name: str) -> None:
    rows = Invitation.objects.filter(reference=reference)
    now = timezone.now()
    if name == "left":
        rows.update(session_epoch=9)
    elif name == "replaced":
        rows.update(round=9)
    elif name == "expired":
        rows.update(expires_at=now)
    elif name == "withdrawn":
        rows.update(withdrawn_at=now)
    elif name == "removed":
        Party.objects.filter(invitation__in=rows).update(removed_at=now)
    elif name == "submitted":
        Application.objects.filter(invitations__in=rows).update(state="submitted_for_review")


def use_second_factor(browser: Client, secret: str) -> None:
    response = browser.post("/accounts/2fa/reauthenticate/", {"code": app_code(secret, time.time())})
    assert response.status_code == 302
