"""People, a small product with one of everything, and applications of it at each stage.

Plain functions, and neither factory_boy nor model_bakery: an application is made by the services that customers and
agents use, so that its history, its deliveries and its audit entries are there as well. Rows that are saved alone would
be an application that cannot exist.
"""

import io
import zipfile
from copy import deepcopy
from typing import Any
from unittest.mock import patch

from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from formation_portal import workflow
from formation_portal.accounts import addresses
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Party, ShareClass
from formation_portal.applications.services import upload_checks
from formation_portal.applications.transfer import content_of
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.documents.findings import Findings
from formation_portal.documents.inspection import inspect_file
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept
from formation_portal.reviews.transactions import current_version
from tests.documents import sample_files

PDF = sample_files.pdf()
JPEG, PNG = sample_files.jpeg(120, 90), sample_files.png(120, 90)


def field(
    key: str, field_type: str = "text", *, prefix: str = "xy", required: bool = True, **more: Any
) -> dict[str, Any]:
    """A provider's field, or a canonical one where a canonical name is given."""
    named = {} if "canonical_field" in more else {"csp_field_key": f"{prefix}.{key}"}
    return (
        {"key": key, "label": key.replace("_", " ").capitalize(), "field_type": field_type, "required": required}
        | named
        | more
    )


SCHEMA: dict[str, Any] = {
    "id": "5c0f6a0e-0000-4000-8000-000000000001",
    "csp_name": "Example Corporate Services",
    "form_name": "Example company",
    "version": "3",
    "agent_address": {"street1": "1 Harbour Road", "city": "Port", "country": "VG", "postcode": "VG1110"},
    "sections": [
        {
            "scope": "entity",
            "title": "The company",
            "fields": [
                field("name", canonical_field="entity.name"),
                field("activity", "select", options=["Holding company", "Trading"]),
                field("goods", "textarea", depends_on={"field": "activity", "value": "Trading"}),
                field("office", "address", provided_by_agent=True),
                field("started_on", "date", required=False),
                field("purpose", canonical_field="charter.purpose", required=False),
            ],
            "documents": {"entity": [{"name": "Business plan", "required": False}]},
        },
        {
            "scope": "entity",
            "title": "Funds",
            "fields": [
                field("capital", "currency_amount", allowed_currencies=["USD", "EUR"]),
                field("activity", "select", options=["Holding company", "Trading"]),
            ],
        },
        {
            "scope": "role:director",
            "title": "Directors",
            "minimum": 1,
            "allows_corporate": True,
            "person_fields": [
                field("first_name", canonical_field="person.first_name"),
                field("last_name", canonical_field="person.last_name"),
                field("date_of_birth", "date", canonical_field="person.date_of_birth"),
                field("is_pep", "boolean", prefix="xy.person"),
                field("pep_office", prefix="xy.person", depends_on={"field": "is_pep", "value": True}),
                field("appointed_by", "share_class_ref", prefix="xy.person", required=False),
            ],
            "documents": {
                "person": [{"name": "Passport", "required": True}, {"name": "Letter", "required": False}],
                "entity": [{"name": "Register extract", "required": True}],
            },
        },
        {
            "scope": "role:shareholder",
            "title": "Shareholders",
            "minimum": 1,
            "allows_corporate": True,
            "person_fields": [field("date_of_birth", "date", canonical_field="person.date_of_birth")],
            "documents": {"person": [{"name": "Passport", "required": False}]},
        },
        {
            "scope": "role:manager",
            "title": "Managers",
            "minimum": 0,
            "depends_on": {"field": "activity", "value": "Trading"},
            "person_fields": [],
        },
        {
            "scope": "share_structure",
            "title": "Share classes",
            "fields": [field("class_rights", "textarea", required=False)],
        },
    ],
}

ITEM: dict[str, Any] = {
    "jurisdiction_product_id": "0f9b1a52-0000-4000-8000-000000000002",
    "jurisdiction": {
        "id": "j",
        "name": "British Virgin Islands",
        "slug": "bvi",
        "iso_code": "VG",
        "region": "Caribbean",
    },
    "product": {"id": "p", "name": "Example company", "slug": "example", "type": "Corporation", "description": "One."},
    "price": {"one_off": 1200, "annual": 900, "currency": "USD"},
    "estimated_timeline": "5 days",
    "schema": SCHEMA,
}

COMPANY = {"entity.name": "Larkfield Holdings", "xy.activity": "Holding company"}
FUNDS = {"xy.capital": {"amount": "50,000", "currency": "USD"}}
ADA = {
    "person.first_name": "Ada",
    "person.last_name": "Lovelace",
    "person.email": "ada@example.com",
    "person.date_of_birth": {"day": "10", "month": "12", "year": "1985"},
    "xy.person.is_pep": "false",
}
ORDINARY = {
    "share_class.name": "Ordinary",
    "share_class.currency": "USD",
    "share_class.par_value": "1",
    "share_class.voting_rights": "true",
    "share_class.dividend_rights": "true",
}


VARIED_SCHEMA = deepcopy(SCHEMA)
VARIED_SCHEMA["sections"][1]["fields"] = [
    field("capital", "currency_amount", allowed_currencies=["JPY", "KWD"]),
    field("turnover", "currency_amount", allowed_currencies=["JPY", "KWD"]),
]
VARIED_COMPANY = {
    "entity.name": "Société d’Été & Fils",
    "xy.activity": "Trading",
    "xy.goods": "Tea and 'green' coffee",
    "xy.started_on": {"day": "4", "month": "3", "year": "2019"},
    "charter.purpose": "To charter boats",
}
VARIED_FUNDS = {
    "xy.capital": {"amount": "1,234,567", "currency": "JPY"},
    "xy.turnover": {"amount": "89.125", "currency": "KWD"},
}
SIOBHAN = {
    "person.first_name": "Siobhán",
    "person.last_name": "O’Brien",
    "person.email": "siobhan@example.com",
    "person.date_of_birth": {"day": "5", "month": "6", "year": "1971"},
    "xy.person.is_pep": "false",
}
ZOE = {
    "person.first_name": "Zoë",
    "person.last_name": "D'Arcy",
    "person.email": "zoe@example.org",
    "person.date_of_birth": {"day": "28", "month": "2", "year": "1988"},
    "xy.person.is_pep": "true",
    "xy.person.pep_office": "Minister of Fisheries",
}
ORSTED = {
    "corporate.name": "Ørsted Holding ApS",
    "corporate.registration_number": "DK 36 45 17",
    "corporate.country": "DK",
}
VOTING = {
    "share_class.name": "Voting",
    "share_class.currency": "USD",
    "share_class.par_value": "0.125",
    "share_class.voting_rights": "true",
    "share_class.dividend_rights": "false",
}
PREFERENCE = {
    "share_class.name": "Préférence",
    "share_class.currency": "JPY",
    "share_class.par_value": "500",
    "share_class.voting_rights": "false",
    "share_class.dividend_rights": "true",
}
FOUNDERS = {
    "share_class.name": "Founders’",
    "share_class.currency": "KWD",
    "share_class.par_value": "0.025",
    "share_class.voting_rights": "true",
    "share_class.dividend_rights": "true",
}


def product(**changes: Any) -> CatalogItem:
    """The product, or one like it."""
    (item,) = parse_catalog([ITEM | changes])
    assert isinstance(item, CatalogItem)
    return item


def person(email: str, first_name: str, last_name: str, **more: Any) -> Any:
    """Make an account with a confirmed address; an agent's with `is_agent=True`."""
    user = get_user_model().objects.create_user(email, first_name=first_name, last_name=last_name, **more)
    addresses.confirm(user)
    return user


def browser_of(user: Any) -> Client:
    """Return a browser in which somebody is signed in."""
    client = Client()
    client.force_login(user)
    return client


def new_draft(owner: Any, **changes: Any) -> Draft:
    """Start an application of the product, or of one like it."""
    return open_draft(services.start(owner=owner, product=product(**changes)))


def complete_draft(owner: Any) -> Draft:
    draft = new_draft(owner)
    fill_in(draft, by=owner)
    return draft


def submitted_draft(owner: Any) -> Draft:
    draft = complete_draft(owner)
    services.submit(draft, by=owner, declaration="I declare it.")
    return draft


def again(draft: Draft) -> Draft:
    """Open an application as somebody else reads it now."""
    return open_draft(Application.objects.get(pk=draft.application.pk))


def save_section(
    draft: Draft, key: str, raw: dict[str, Any], *, by: Any, version: int | None = None
) -> services.SaveResult:
    """Save answers to a section of a draft, as a page that shows its newest version unless an older one is given."""
    section = draft.schema.section(key)
    assert section is not None
    seen = draft.version(key) if version is None else version
    return services.save_section(draft, section, raw, version=seen, by=by)


def varied_draft(owner: Any) -> Draft:
    """Start an application in which no two values are the same, so that a test notices when two are exchanged.

    Share classes in currencies of 0, 2 and 3 decimals and with votes, dividends or both, four holdings, two people and
    a company, names with accents and apostrophes, and files of three types. It needs nothing more.
    """
    draft = new_draft(owner, schema=VARIED_SCHEMA)
    for key, raw in (("the-company", VARIED_COMPANY), ("funds", VARIED_FUNDS)):
        save_section(draft, key, raw, by=owner)
    services.add_party(draft, "person", ["director", "shareholder"], SIOBHAN, by=owner, token="siobhan")
    services.add_party(draft, "person", ["director", "shareholder", "manager"], ZOE, by=owner, token="zoe")
    services.add_party(draft, "corporate", ["director"], ORSTED, by=owner, token="orsted")
    services.add_share_class(draft, VOTING, by=owner, token="voting")
    services.add_share_class(draft, PREFERENCE, by=owner, token="preference")
    services.add_share_class(draft, FOUNDERS, by=owner, token="founders")
    holdings = {
        ("siobhan", "voting"): "1,111",
        ("siobhan", "preference"): "222",
        ("zoe", "voting"): "33",
        ("zoe", "founders"): "4,444",
    }
    services.save_holdings(draft, holdings, by=owner)
    for token, slot, file in (
        ("siobhan", "Passport", upload(PDF, "siobhan.pdf")),
        ("zoe", "Passport", upload(JPEG, "zoe.jpg")),
        ("orsted", "Register extract", upload(PNG, "orsted.png")),
    ):
        services.add_document(draft, draft.party(token), slot, file, by=owner)
    assert draft.needs == ()
    return draft


def crowded_draft(owner: Any) -> Draft:
    """Start an application in which 51 people hold 1, 2, 3 … shares: one more than a page of people shows."""
    draft = new_draft(owner)
    with patch.object(workflow, "application_changed"):
        services.add_share_class(draft, ORDINARY, by=owner, token="ordinary")
        for number in range(1, 52):
            raw = ADA | {"person.first_name": f"Zoë {number}", "person.email": f"zoe{number}@example.com"}
            services.add_party(draft, "person", ["shareholder"], raw, by=owner, token=f"zoe{number}")
        shares = {(f"zoe{number}", "ordinary"): str(number) for number in range(1, 52)}
        services.save_holdings(draft, shares, by=owner)
    return draft


def add_people(draft: Draft, count: int) -> Draft:
    """Add directors with names of their own until the application has so many people and companies."""
    Party.objects.bulk_create(
        Party(
            application=draft.application,
            token=f"crowd{number}",
            position=number + 1,
            kind="person",
            roles=["director"],
            raw={"person.first_name": f"Given{number}", "person.last_name": f"Family{number}"},
        )
        for number in range(len(draft.parties), count)
    )
    return again(draft)


def accept_everything(draft: Draft, by: Any) -> None:
    """Accept every fact of an application as it stands now."""
    current = again(draft)
    targets = [fact.target for fact in load_checklist(current)]
    accept(current, targets, by=by, version=current_version(current.application))


def new_share_class(draft: Draft, raw: Any, *, by: Any) -> ShareClass:
    services.add_share_class(draft, raw, by=by)
    return draft.share_class_models[-1]


def reviewed_draft(owner: Any, agent: Any) -> Draft:
    """Start an application, fill it in, submit it, and have an agent accept every fact of it."""
    draft = submitted_draft(owner)
    accept_everything(draft, by=agent)
    return draft


def upload(content: bytes = PDF, name: str = "passport.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def fill_in(draft: Draft, by: Any) -> None:
    """Until a draft of the small product needs nothing more: one person as director and holder of all shares.

    Relay and desk hear of the last change alone, which leaves the same rows in a third of the time.
    """
    with patch.object(workflow, "application_changed"):
        for key, raw in (("the-company", COMPANY), ("funds", FUNDS)):
            save_section(draft, key, raw, by=by)
        services.add_party(draft, "person", ["director", "shareholder"], ADA, by=by, token="ada")
        services.add_share_class(draft, ORDINARY, by=by, token="ordinary")
        services.save_holdings(draft, {("ada", "ordinary"): "10,000"}, by=by)
    with patch.object(upload_checks, "inspect_file", _inspected_once):
        services.add_document(draft, draft.party("ada"), "Passport", upload(), by=by)
    assert draft.needs == ()


_inspected: list[tuple[Findings, bytes]] = []


def _inspected_once(content: Any, mime_type: str) -> tuple[Findings, bytes]:
    """What the sandbox says of the file above, with which thousands of tests begin; each process asks it once."""
    if not _inspected:
        _inspected.append(inspect_file(content, mime_type))
    return _inspected[0]


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("index.html", "x")
    return file.getvalue()


def entered(draft: Draft) -> tuple[Any, ...]:
    """Everything that was entered, to be compared with what there is later."""
    content = content_of(draft)
    parties = [(one.token, one.kind, list(one.roles), dict(one.raw)) for one in content.parties]
    classes = [(one.token, dict(one.raw)) for one in content.share_classes]
    return content.entity, parties, classes, content.holdings, content.documents, content.stakes
