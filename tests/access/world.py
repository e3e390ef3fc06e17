"""What the access matrix asks about: applications in three states with one of everything, another customer's like them,
and who asks.
"""

from dataclasses import dataclass, field
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
from tests.applications import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, as_csv
from tests.documents import sample_files
from tests.encrypted_rows import update_each
from tests.reviews.deciding import decide

BIRTH = Target.of_field("ada", "person.date_of_birth")
FIRST_NAME = Target.of_field("ada", "person.first_name")
LAST_NAME = Target.of_field("ada", "person.last_name")
OWN = [right for right in AgentRight.values if right != AgentRight.ALL_CASES]

STATES = ("draft", "submitted", "returned", "proposed")

# Who asks: nobody, customers, then agents.
ANONYMOUS, OTHER, INVITED, OWNER = "anonymous", "other customer", "invited, not in yet", "owner"
EDITOR = "editor"
NO_RIGHTS, UNASSIGNED, ASSIGNED = "agent without rights", "unassigned agent", "assigned agent"
ALL, APPLICANT = "agent with all rights", "agent who is the applicant"
CUSTOMERS, AGENTS = (OTHER, INVITED, OWNER, EDITOR), (NO_RIGHTS, UNASSIGNED, ASSIGNED, ALL, APPLICANT)
ACTORS = (ANONYMOUS, *CUSTOMERS, *AGENTS)


def person(email: str, **more: Any) -> Any:
    made = get_user_model().objects.create_user(email, **more)
    addresses.confirm(made)
    return made


@dataclass
class Things:
    """The keys of what belongs to one application."""

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


@dataclass
class World:
    """All of it. `draft` is being filled in, `submitted` under review, `returned` with its customer again, `proposed`
    waits for a second agent; those of `elsewhere` are another customer's, in the same states."""

    people: dict[str, Any]
    draft: Things
    submitted: Things
    returned: Things
    proposed: Things
    elsewhere: dict[str, Things] = field(default_factory=dict)
    text: int = 0
    key: int = 0
    entry: int = 0
    browsers: dict[str, Client] = field(default_factory=dict)


def build() -> World:
    """Everything, once for each test."""
    owner = person("owner@example.com", first_name="Ingrid", last_name="Solheim")
    people = {
        OWNER: owner,
        OTHER: person("stranger@example.com"),
        INVITED: person("invited@example.com"),
        EDITOR: person("editor@example.com"),
        NO_RIGHTS: person("reader@example.com", is_agent=True, rights=[]),
        UNASSIGNED: person("unassigned@example.com", is_agent=True, rights=OWN),
        ASSIGNED: person("assigned@example.com", is_agent=True, rights=OWN),
        ALL: person("all@example.com", is_agent=True),
        APPLICANT: person("applicant@example.com", is_agent=True),
    }
    reviewer, stranger = people[ALL], people[OTHER]
    world = World(people, *(_things(state, owner, people, reviewer) for state in STATES))
    world.elsewhere = {state: _things(state, stranger, {}, reviewer) for state in STATES}
    for things in world.elsewhere.values():
        # Their tokens are no other application's.
        for model in (Party, ShareClass):
            for row in model.objects.filter(application=things.case, token__in=("ada", "ordinary")):
                # What the row holds is bound to its token.
                update_each(model.objects.filter(pk=row.pk), token=f"{row.token}-of-others", raw=row.raw)
        things.token, things.share_class = "ada-of-others", "ordinary-of-others"
    claims.claim([world.submitted.case, world.proposed.case], by=people[ASSIGNED])
    with transaction.atomic():
        receive_status(open_draft(Application.objects.get(pk=world.submitted.case)), ServiceStatus(status="on_hold"))
    now = timezone.now()
    world.text = SharedText.objects.create(title="Copy", text="Certify it.", by=reviewer, at=now).pk
    world.key = create_key(name="Ledger", scopes=["entities:read"])[0].pk
    world.entry = Entry.objects.latest("number").number
    world.browsers = {who: Client() for who in ACTORS}
    for who, account in people.items():
        world.browsers[who].force_login(account)
    return world


def _things(state: str, owner: Any, people: dict[str, Any], reviewer: Any) -> Things:
    draft = open_draft(services.start(owner=owner, product=factories.product()))
    factories.fill_in(draft, by=owner)
    services.add_document(draft, draft.party("ada"), "Passport", factories.upload(sample_files.pdf()), by=owner)
    found = Things(draft.application.reference, case=draft.application.pk)
    found.own_document = services.add_document(draft, None, "Business plan", factories.upload(), by=owner).pk
    if state == "draft":
        _make_draft_things(draft, found, owner)
    now = timezone.now()
    for who, right in ((EDITOR, Right.EDIT), (APPLICANT, Right.EDIT), (INVITED, Right.EDIT)):
        if who in people:
            account = None if who == INVITED else people[who]
            made = Collaborator.objects.create(
                application=draft.application, email=people[who].email, user=account, right=right,
                key_digest=f"{found.reference}" if account is None else None, asked_at=now, expires_at=now,
                accepted_at=None if account is None else now,
            )  # fmt: skip
            found.collaborator = made.pk
    found.document = draft.application.documents.filter(party__token="ada").latest("pk").pk
    if state != "draft":
        services.submit(draft, by=owner)
        _review(draft, found, reviewer, owner, state)
    found.change = draft.application.changes.latest("pk").pk
    found.delivery = Delivery.objects.filter(application=draft.application).earliest("pk").pk
    update_each(Delivery.objects.filter(pk=found.delivery), state="held", reason="unclear", key="k", sent={})
    return found


def _make_draft_things(draft: Draft, found: Things, owner: Any) -> None:
    """A party that was removed, an uploaded sheet, a part that somebody else fills in, and a choice to undo."""
    party = services.add_party(draft, "person", ["director"], factories.ADA | {"person.first_name": "Bob"}, by=owner)
    found.removed = party.token
    services.remove_party(draft, party, by=owner)
    ada = draft.party("ada")
    assert ada is not None
    sheet = SimpleUploadedFile("people.csv", as_csv(HEADS, ADA))
    client = Client()
    client.force_login(owner)
    kept = client.post(f"/applications/{found.reference}/people/spreadsheet/", {"sheet": sheet})
    found.sheet = kept["Location"].rstrip("/").rpartition("/")[2]
    found.part = parts.invite(draft, ada, email="ada@example.com", by=owner, language="en").reference


def _review(draft: Draft, found: Things, reviewer: Any, owner: Any, state: str) -> None:
    """A round that was returned with a query, and of those that came back the next one."""
    party = draft.party("ada")
    assert party is not None

    def version() -> Any:
        return current_version(draft.application)

    accept(draft, [LAST_NAME], by=reviewer, version=version())
    found.note = write_note(draft, WHOLE_APPLICATION, text="For colleagues only", by=reviewer).pk
    found.screening = record_screening(
        draft, party, kind="sanctions", done_on=timezone.localdate(), outcome="clear",
        upload=factories.upload(sample_files.pdf(), "report.pdf"), by=reviewer,
    ).pk  # fmt: skip
    found.sent_query = draft_query(draft, BIRTH, text="Is it 1984?", by=reviewer, version=version()).pk
    decide(draft, RETURN, by=reviewer, version=version())
    if state != "returned":
        services.submit(draft, by=owner)
        found.draft_query = draft_query(draft, FIRST_NAME, text="All of it?", by=reviewer, version=version()).pk
    if state == "proposed":
        decide(draft, DECLINE, text="No", reason="other", by=reviewer, version=version())
    claims.release([draft.application.pk], by=reviewer)
