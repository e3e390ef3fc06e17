"""Each value of an application stands in its records, and in that of a copy, where it belongs. No two are the same."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from tests import factories
from tests.pdfs import read_pdf
from tests.portal.pages import page_at, root

pytestmark = pytest.mark.django_db(databases=["default", "service"])

ENTITY = {
    "entity.name": "Société d’Été & Fils",
    "xy.activity": "Trading",
    "xy.goods": "Tea and 'green' coffee",
    "xy.office": "1 Harbour Road, Port, VG1110, British Virgin Islands",
    "xy.started_on": "4 March 2019",
    "charter.purpose": "To charter boats",
    "xy.capital": "JPY 1,234,567",
    "xy.turnover": "KWD 89.125",
}
PARTIES = {
    "Siobhán O’Brien": {
        "roles": ["director", "shareholder"],
        "person.email": "siobhan@example.com",
        "person.first_name": "Siobhán",
        "person.last_name": "O’Brien",
        "person.date_of_birth": "5 June 1971",
        "xy.person.is_pep": "No",
    },
    "Zoë D'Arcy": {
        "roles": ["director", "shareholder", "manager"],
        "person.email": "zoe@example.org",
        "person.first_name": "Zoë",
        "person.last_name": "D'Arcy",
        "person.date_of_birth": "28 February 1988",
        "xy.person.is_pep": "Yes",
        "xy.person.pep_office": "Minister of Fisheries",
    },
    "Ørsted Holding ApS": {
        "roles": ["director"],
        "corporate.name": "Ørsted Holding ApS",
        "corporate.registration_number": "DK 36 45 17",
        "corporate.country": "Denmark",
    },
}
CLASS_QUESTIONS = ("name", "currency", "par_value", "voting_rights", "dividend_rights")
SHARE_CLASSES = {
    "Voting": ("Voting", "US Dollar (USD)", "0.125", "Yes", "No"),
    "Préférence": ("Préférence", "Japanese Yen (JPY)", "500", "No", "Yes"),
    "Founders’": ("Founders’", "Kuwaiti Dinar (KWD)", "0.025", "Yes", "Yes"),
}
HOLDINGS = {
    ("Siobhán O’Brien", "Voting", 1111),
    ("Siobhán O’Brien", "Préférence", 222),
    ("Zoë D'Arcy", "Voting", 33),
    ("Zoë D'Arcy", "Founders’", 4444),
}
DOCUMENTS = {
    ("Siobhán O’Brien", "Passport", "siobhan.pdf", "application/pdf"),
    ("Zoë D'Arcy", "Passport", "zoe.jpg", "image/jpeg"),
    ("Ørsted Holding ApS", "Register extract", "orsted.png", "image/png"),
}


SHARES = [
    ["Shareholder", "Voting", "Préférence", "Founders’"],
    ["Siobhán O’Brien", "1,111", "222", "0"],
    ["Zoë D'Arcy", "33", "0", "4,444"],
    ["Allocated", "1,144", "222", "4,444"],
]


@pytest.fixture(params=["typed", "copied", "exported"])
def record(request: pytest.FixtureRequest, owner: Any, as_owner: Client) -> dict[str, Any]:
    """The record of an application, of its copy, or that in the export of its owner's data."""
    draft = factories.varied_draft(owner)
    if request.param == "exported":
        export: Any = as_owner.get("/your-data/export/")
        data = zipfile.ZipFile(io.BytesIO(b"".join(export.streaming_content))).read("data.json")
        return dict(json.loads(data)["applications"][0])
    application = draft.application if request.param == "typed" else services.create_copy(draft, by=owner)
    return dict(as_owner.get(f"{root(application)}record.json").json())


def words_of(part: dict[str, Any]) -> dict[str, str]:
    answers = ((answer["name"], answer["words"]) for section in part["sections"] for answer in section["answers"])
    return {name: words.replace("\xa0", " ") for name, words in answers}


def test_every_value_stands_in_the_record(record: dict[str, Any]) -> None:
    assert words_of(record) == ENTITY
    parties = {
        party["label"]: words_of(party) | {"roles": [role["role"] for role in party["roles"]]}
        for party in record["parties"]
    }
    assert parties == PARTIES
    assert {share_class["label"]: words_of(share_class) for share_class in record["share_classes"]} == {
        label: {f"share_class.{name}": words for name, words in zip(CLASS_QUESTIONS, values, strict=True)}
        for label, values in SHARE_CLASSES.items()
    }
    holdings = [
        (holding["party_label"], holding["share_class_label"], holding["shares"]) for holding in record["holdings"]
    ]
    assert (set(holdings), len(holdings)) == (HOLDINGS, 4)
    documents = [
        (document["party_label"], document["slot"], document["name"], document["type"])
        for document in record["documents"]
    ]
    assert (set(documents), len(documents)) == (DOCUMENTS, 3)


def test_every_value_stands_on_the_page_of_answers_and_in_the_pdf(owner: Any, as_owner: Client) -> None:
    draft = factories.varied_draft(owner)
    page = page_at(as_owner, f"{root(draft)}check/")
    terms = [term.text for term in page.all("dt")]
    values = [value.text.replace("\xa0", " ") for value in page.all("dd") if value.attributes.get("class") != "change"]
    answers = list(zip(terms, values, strict=True))
    for term, value in (
        ("Capital", "JPY 1,234,567"),
        ("Last name", "O’Brien"),
        ("Last name", "D'Arcy"),
        ("Date of birth", "5 June 1971"),
        ("Date of birth", "28 February 1988"),
        ("Registration number", "DK 36 45 17"),
        ("Name of the share class", "Founders’"),
        ("Par value", "0.125"),
        ("Par value", "500"),
        ("Par value", "0.025"),
    ):
        assert answers.count((term, value)) == 1, (term, value)
    rows = [
        [cell.text for cell in page.elements if cell.tag in ("th", "td") and row in cell.ancestors]
        for row in page.all("tr")
    ]
    assert rows[:4] == SHARES
    text = read_pdf(as_owner.get(f"{root(draft)}record.pdf").content).text
    for part in (
        "Capital JPY 1,234,567 Turnover KWD 89.125",
        "siobhan@example.com First name Siobhán Last name O’Brien Date of birth 5 June 1971 Is pep No",
        "zoe@example.org First name Zoë Last name D'Arcy Date of birth 28 February 1988 Is pep Yes",
        "Name Ørsted Holding ApS Registration number DK 36 45 17 Country Denmark",
        "Voting Currency US Dollar (USD) Par value 0.125 Do these shares have voting rights? Yes "
        "Do these shares pay dividends? No",
        "Préférence Currency Japanese Yen (JPY) Par value 500 Do these shares have voting rights? No "
        "Do these shares pay dividends? Yes",
        "Founders’ Currency Kuwaiti Dinar (KWD) Par value 0.025 Do these shares have voting rights? Yes "
        "Do these shares pay dividends? Yes",
        " ".join(cell for row in SHARES for cell in row),
        "Passport, Siobhán O’Brien siobhan.pdf",
        "Passport, Zoë D'Arcy zoe.jpg",
        "Register extract, Ørsted Holding ApS orsted.png",
    ):
        assert part in text, part
