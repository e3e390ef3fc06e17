"""A small catalog for the service's tests: two products, most field types, every kind of section."""

from typing import Any

Item = dict[str, Any]

SHARES_PRODUCT = "0b6c9c51-6a30-4f6c-9a3c-51d6b1a30001"
PLAIN_PRODUCT = "0b6c9c51-6a30-4f6c-9a3c-51d6b1a30002"
SHARES_SCHEMA = "5c1e3a70-12ab-4d21-8f10-51d6b1a30001"
PLAIN_SCHEMA = "5c1e3a70-12ab-4d21-8f10-51d6b1a30002"
AGENT = {"street1": "1 Harbour Road", "city": "Road Town", "country": "VG", "postcode": "VG1110"}


def question(name: str, label: str, field_type: str = "text", *, required: bool = True, **more: Any) -> Item:
    kind = "csp_field_key" if name.startswith("bvi.") else "canonical_field"
    field = {"key": name.rpartition(".")[2], kind: name, "label": label, "field_type": field_type}
    return {**field, "required": required, **more}


def items() -> list[Item]:
    """The catalog, made afresh, so that a test may change it."""
    return [_shares_product(), _plain_product()]


def _item(product_id: str, *, slug: str, kind: str, place: str, schema: Item) -> Item:
    return {
        "jurisdiction_product_id": product_id,
        "jurisdiction": {"id": f"j-{place}", "name": place.upper(), "slug": place, "iso_code": "VG", "region": "Here"},
        "product": {"id": f"p-{slug}", "name": slug, "slug": slug, "type": kind, "description": "For tests."},
        "price": {"one_off": 1000, "annual": 800, "currency": "USD"},
        "schema": schema,
        "estimated_timeline": "A week",
    }


def _shares_product() -> Item:
    sections = [
        {
            "scope": "entity",
            "title": "Company",
            "fields": [
                question("entity.name", "Name"),
                question("company.purpose", "Purpose", "textarea", required=False),
                question("entity.office", "Office", "address", provided_by_agent=True),
                question("bvi.activity", "Activity", "select", options=["Holding company", "Trading"]),
                question(
                    "bvi.partners", "Partners", required=True, depends_on={"field": "activity", "value": "Trading"}
                ),
                question("bvi.capital", "Capital", "currency_amount", required=False, allowed_currencies=["USD"]),
                question("bvi.started", "Started", "date", required=False),
                question(
                    "bvi.substance",
                    "Substance",
                    "multi_select",
                    required=False,
                    options=["Banking", "Shipping", "None of these"],
                    exclusive_options=["None of these"],
                ),
                question("bvi.mail", "Mail", "address", required=False),
                question("bvi.agent_office", "Agent's office", "address", provided_by_agent=True),
                question("bvi.listed", "Listed", "boolean", required=False),
                question("bvi.staff", "Staff", "number", required=False),
                question("bvi.markets", "Markets", "multi_select", options=["Europe", "Asia"], required=False),
            ],
            "documents": {"entity": [{"name": "Business plan", "required": False}]},
        },
        {
            "scope": "role:director",
            "title": "Directors",
            "minimum": 1,
            "conditional_min": {"field": "activity", "value": "Trading", "minimum": 2},
            "allows_corporate": True,
            "person_fields": [
                question("person.date_of_birth", "Date of birth", "date"),
                question("bvi.class_right", "Appointed by", "share_class_ref", required=False),
                question("bvi.post", "Post address", "address", provided_by_agent=True),
            ],
            "documents": {"person": [{"name": "Passport", "required": True}], "entity": []},
        },
        {
            "scope": "role:shareholder",
            "title": "Shareholders",
            "minimum": 1,
            "allows_corporate": True,
            "person_fields": [question("person.date_of_birth", "Date of birth", "date")],
            "documents": {},
        },
        {"scope": "role:ubo", "title": "Owners", "minimum": 0, "person_fields": [], "documents": {}},
        {
            "scope": "share_structure",
            "title": "Shares",
            "fields": [question("bvi.class_note", "Note", required=False)],
        },
    ]
    schema = {
        "id": SHARES_SCHEMA,
        "csp_name": "Tester",
        "form_name": "Company form",
        "version": "1",
        "agent_address": dict(AGENT),
        "sections": sections,
    }
    return _item(SHARES_PRODUCT, slug="shares-company", kind="Corporation", place="bvi", schema=schema)


def _plain_product() -> Item:
    schema = {
        "id": PLAIN_SCHEMA,
        "csp_name": "Tester",
        "form_name": "Foundation form",
        "version": "1",
        "agent_address": dict(AGENT),
        "sections": [
            {"scope": "entity", "title": "Foundation", "fields": [question("entity.name", "Name")]},
            {
                "scope": "role:manager",
                "title": "Managers",
                "minimum": 1,
                "allows_foundation": True,
                "person_fields": [],
                "documents": {},
            },
        ],
    }
    return _item(PLAIN_PRODUCT, slug="plain-foundation", kind="Foundation", place="panama", schema=schema)
