"""What is typed with characters that nobody sees, and unit prices, on the customer's pages."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests import factories
from tests.applications.imports.sample_sheets import HEADS, as_csv
from tests.applications.test_many_parties import item_of
from tests.portal.pages import page_at, root, section_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def save_section(client: Client, application: Application, key: str, **typed: str) -> Any:
    version = page_at(client, section_url(application, key)).one("input", name="version").attributes["value"]
    answers = {f"q:{name.replace('__', ':')}": text for name, text in typed.items()}
    return client.post(section_url(application, key), {"version": version, **answers})


def read_back(client: Client, application: Application) -> dict[str, str]:
    """Each question of the check page with its answer."""
    page = page_at(client, f"{root(application)}check/")
    values = [one.text.strip() for one in page.all("dd") if one.attributes.get("class") != "change"]
    return dict(zip((one.text.strip() for one in page.all("dt")), values, strict=True))


def test_a_companys_name_that_nobody_sees_is_asked_for_and_is_no_heading(as_owner: Client, draft: Draft) -> None:
    save_section(as_owner, draft.application, "the-company", name="\u200b", activity="Holding company")
    after = open_draft(draft.application)
    assert "entity.name" in {need.field for need in after.needs}
    assert after.title == "Example company"
    needs = [one.text for one in page_at(as_owner, f"{root(draft)}check/").all("li", class_="need")]
    assert "Enter “Name”" in needs


def test_what_looks_right_is_accepted_and_read_back_clean(as_owner: Client, owner: Any) -> None:
    company, *others = factories.SCHEMA["sections"]
    contact = factories.field("contact_email", canonical_field="entity.contact_email")
    asked = company | {"fields": [*company["fields"], factories.field("phone", "phone"), contact]}
    application = factories.new_draft(owner, schema=factories.SCHEMA | {"sections": [asked, *others]}).application
    typed = {"phone": "\u202a+41417288000\u202c", "contact_email": "ada@example.com\u200b"}
    response = save_section(as_owner, application, "the-company", name="Lark\u00adfield\u200b", **typed)
    assert response.status_code == 302
    amount = {"capital__amount": "20000\u200b", "capital__currency": "USD"}
    assert save_section(as_owner, application, "funds", **amount).status_code == 302
    shown = read_back(as_owner, application)
    assert shown["Phone"].replace("\u00a0", " ") == "+41 41 728 80 00"
    assert (shown["Contact email"], shown["Name"]) == ("ada@example.com", "Larkfield")
    assert shown["Capital"] == "USD\u00a020,000.00"


def test_a_name_on_two_lines_of_a_sheets_cell_is_folded(as_owner: Client, draft: Draft) -> None:
    row = ("Person", "Yes", "", "Ina \r\n Maria", "Probe", "ina@example.com", "1990-05-01")
    file = SimpleUploadedFile("people.csv", as_csv(HEADS, row))
    sheet = as_owner.post(f"{root(draft)}people/spreadsheet/", {"sheet": file})["Location"]
    ticked = [one.attributes["value"] for one in page_at(as_owner, sheet).all("input", name="row")]
    as_owner.post(sheet, {"row": ticked})
    (party,) = open_draft(draft.application).parties
    assert party.label == "Ina Maria Probe"
    page = page_at(as_owner, f"{root(draft)}people/{party.token}/")
    assert page.one("input", name="q:person.first_name").attributes["value"] == "Ina Maria"


def test_a_par_value_in_the_bvi_is_shown_with_every_digit_in_the_table_of_classes(as_owner: Client, owner: Any) -> None:
    application = services.start(owner=owner, product=item_of("bvi-limited-company"))
    services.add_party(open_draft(application), "person", ["shareholder"], {}, by=owner)
    typed = {"name": "Ordinary", "currency": "USD", "class_has_par_value": "true", "par_value": "0.00001"}
    as_owner.post(f"{root(application)}shares/classes/new/", {f"q:{name}": text for name, text in typed.items()})
    draft = open_draft(application)
    (share_class,), (party,) = draft.share_classes, draft.parties
    services.save_holdings(draft, {(party.token, share_class.token): "10000000"}, by=owner)
    page = page_at(as_owner, f"{root(application)}shares/")
    assert "USD\u00a00.00001" in page.one("main").text
    assert page.one("span", id=f"paid-{share_class.token}").text == "USD\u00a0100.00"
