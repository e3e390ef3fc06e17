"""One world for the table of access: applications in four states with one of everything, and the same of a stranger."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone

from formation_portal.accounts import addresses
from formation_portal.accounts.models import Right as AgentRight
from formation_portal.applications import services
from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Party, ShareClass
from formation_portal.audit.models import Entry
from formation_portal.desk.models import SharedText
from formation_portal.desk.queue import claims
from formation_portal.invitations import parts
from formation_portal.relay.models import Delivery
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import DECLINE, RETURN
from formation_portal.reviews.models import ServiceStatus
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.service_status import receive_status
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from formation_portal.service.auth import create_key
from tests import factories
from tests.accounts.people import PASSWORD
from tests.applications.imports.sample_sheets import ADA, HEADS, as_csv
from tests.documents import sample_files
from tests.encrypted_rows import update_each
from tests.invitations import mailbox
from tests.reviews.deciding import decide

BIRTH = Target.of_field("ada", "person.date_of_birth")
FIRST_NAME = Target.of_field("ada", "person.first_name")
LAST_NAME = Target.of_field("ada", "person.last_name")
ALL_BUT_ALL_CASES = [right for right in AgentRight.values if right != AgentRight.ALL_CASES]

STATES = ("draft", "submitted", "returned", "proposed")

# The accounts. The rights of AGENT differ from person to person (people.py); the others keep theirs.
OWNER, STRANGER, INVITED, VIEWER, EDITOR = "owner", "stranger", "invited", "viewer", "editor"
AGENT, REVIEWER, CLAIMANT, APPLICANT = "agent", "reviewer", "claimant", "applicant"
NEWCOMER, NO_RIGHTS = "newcomer", "agent without rights"
RIGHTS_OF_COLLABORATORS = {VIEWER: Right.VIEW, EDITOR: Right.EDIT, APPLICANT: Right.EDIT, INVITED: Right.EDIT}


@dataclass
class Things:
    reference: str
    token: str = "ada"
    share_class: str = "ordinary"
    document: int = 0
    own_document: int = 0
    change: int = 0
    collaborator: int = 0
    sheet: str = ""
    draft_query: int = 0
    sent_query: int = 0
    note: int = 0
    screening: int = 0
    delivery: int = 0
    case: int = 0
    removed: str = ""
    part: str = ""
    link: str = ""


@dataclass
class World:
    """The owner's applications by state, those of the stranger, and what belongs to no application."""

    accounts: dict[str, Any]
    own: dict[str, Things]
    strangers: dict[str, Things]
    text: int = 0
    key: int = 0
    entry: int = 0
    browsers: dict[str, Client] = field(default_factory=dict)


def person(email: str, **more: Any) -> Any:
    account = get_user_model().objects.create_user(email, PASSWORD, **more)
    addresses.confirm(account)
    return account


def build() -> World:
    accounts = {
        OWNER: person("owner@example.com", first_name="Ingrid", last_name="Solheim"),
        STRANGER: person("stranger@example.com"),
        INVITED: person("invited@example.com"),
        VIEWER: person("viewer@example.com"),
        EDITOR: person("editor@example.com"),
        AGENT: person("agent@example.com", is_agent=True),
        REVIEWER: person("reviewer@example.com", is_agent=True),
        CLAIMANT: person("claimant@example.com", is_agent=True, rights=ALL_BUT_ALL_CASES),
        NEWCOMER: person("newcomer@example.com", is_agent=True, rights=ALL_BUT_ALL_CASES),
        NO_RIGHTS: person("reader@example.com", is_agent=True, rights=[]),
        APPLICANT: person("applicant@example.com", is_agent=True),
    }
    reviewer = accounts[REVIEWER]
    own = {state: _things(state, accounts[OWNER], accounts, reviewer) for state in STATES}
    strangers = {state: _things(state, accounts[STRANGER], {}, reviewer) for state in STATES}
    for things in strangers.values():
        _rename_tokens(things)
    claims.claim([own["submitted"].case, own["proposed"].case], by=accounts[CLAIMANT])
    with transaction.atomic():
        case = Application.objects.get(pk=own["submitted"].case)
        receive_status(open_draft(case), ServiceStatus(status="on_hold"))
    world = World(accounts, own, strangers)
    world.text = SharedText.objects.create(title="Copy", text="Certify it.", by=reviewer, at=timezone.now()).pk
    world.key = create_key(name="Ledger", scopes=["entities:read"])[0].pk
    world.entry = Entry.objects.latest("number").number
    world.browsers = {name: factories.browser_of(account) for name, account in accounts.items()}
    return world


@contextmanager
def undone(*browsers: Client) -> Iterator[None]:
    """Roll back everything that happens within, in both databases, and give the browsers their cookies back."""
    cookies = [deepcopy(browser.cookies) for browser in browsers]
    with transaction.atomic(using="default"), transaction.atomic(using="service"):
        yield
        for alias in ("default", "service"):
            transaction.set_rollback(True, using=alias)
    for browser, jar in zip(browsers, cookies, strict=True):
        browser.cookies = jar


def _rename_tokens(things: Things) -> None:
    """Give the stranger's rows tokens that no other application has."""
    for model in (Party, ShareClass):
        for row in model.objects.filter(application=things.case, token__in=("ada", "ordinary")):
            # The stored answers are bound to the token.
            update_each(model.objects.filter(pk=row.pk), token=f"{row.token}-of-others", raw=row.raw)
    things.token, things.share_class = "ada-of-others", "ordinary-of-others"


def _things(state: str, owner: Any, accounts: dict[str, Any], reviewer: Any) -> Things:
    """Make an application in a state, with its collaborators where there are accounts for them."""
    draft = factories.complete_draft(owner)
    services.add_document(draft, draft.party("ada"), "Passport", factories.upload(sample_files.pdf()), by=owner)
    things = Things(draft.application.reference, case=draft.application.pk)
    things.own_document = services.add_document(draft, None, "Business plan", factories.upload(), by=owner).pk
    if state == "draft":
        _add_to_draft(draft, things, owner)
    if accounts:
        _add_collaborators(draft.application, things, accounts)
    things.document = draft.application.documents.filter(party__token="ada").latest("pk").pk
    if state != "draft":
        services.submit(draft, by=owner)
        _review(draft, things, reviewer, owner, state)
    things.change = draft.application.changes.latest("pk").pk
    things.delivery = Delivery.objects.filter(application=draft.application).earliest("pk").pk
    update_each(Delivery.objects.filter(pk=things.delivery), state="held", reason="unclear", key="k", sent={})
    return things


def _add_collaborators(application: Application, things: Things, accounts: dict[str, Any]) -> None:
    now = timezone.now()
    for name, right in RIGHTS_OF_COLLABORATORS.items():
        row = Collaborator(application=application, email=accounts[name].email, right=right)
        row.asked_at = row.expires_at = now
        if name == INVITED:
            row.key_digest = things.reference
        else:
            row.user, row.accepted_at = accounts[name], now - timedelta(days=1)
        row.save()
        things.collaborator = row.pk


def _add_to_draft(draft: Draft, things: Things, owner: Any) -> None:
    """Remove a party, upload a spreadsheet, and invite Ada to fill in her part."""
    party = services.add_party(draft, "person", ["director"], factories.ADA | {"person.first_name": "Bob"}, by=owner)
    things.removed = party.token
    services.remove_party(draft, party, by=owner)
    sheet = SimpleUploadedFile("people.csv", as_csv(HEADS, ADA))
    spreadsheets = f"/applications/{things.reference}/people/spreadsheet/"
    response = factories.browser_of(owner).post(spreadsheets, {"sheet": sheet})
    things.sheet = response["Location"].rstrip("/").rpartition("/")[2]
    things.part = parts.invite(draft, draft.parties[0], email="ada@example.com", by=owner, language="en").reference
    things.link = mailbox.latest_link("invitation")


def _review(draft: Draft, things: Things, reviewer: Any, owner: Any, state: str) -> None:
    """Return the application with a query; submit it again and ask and propose what its state says."""

    def version() -> Any:
        return current_version(draft.application)

    accept(draft, [LAST_NAME], by=reviewer, version=version())
    things.note = write_note(draft, WHOLE_APPLICATION, text="For colleagues only", by=reviewer).pk
    things.screening = record_screening(
        draft, draft.parties[0], kind="sanctions", done_on=timezone.localdate(), outcome="clear",
        upload=factories.upload(sample_files.pdf(), "report.pdf"), by=reviewer,
    ).pk  # fmt: skip
    things.sent_query = draft_query(draft, BIRTH, text="Is it 1984?", by=reviewer, version=version()).pk
    decide(draft, RETURN, by=reviewer, version=version())
    if state != "returned":
        services.submit(draft, by=owner)
        things.draft_query = draft_query(draft, FIRST_NAME, text="All of it?", by=reviewer, version=version()).pk
    if state == "proposed":
        decide(draft, DECLINE, text="No", reason="other", by=reviewer, version=version())
    claims.release([draft.application.pk], by=reviewer)
