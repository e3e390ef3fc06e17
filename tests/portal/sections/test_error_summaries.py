"""A form that refuses something says so in a summary, with the same words at the control, and holds all that was typed.

Those that have a golden page are looked through by tests/journeys/accessibility/test_every_page.py.
"""

from typing import Any

import pytest
from django.test import Client
from lxml import html as lxml_html

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.invitations import parts
from tests import factories
from tests.error_summaries import faults_of_summary
from tests.invitations import mailbox
from tests.portal.pages import root

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BIRTH = {"q:person.date_of_birth:day": "99", "q:person.date_of_birth:month": "9", "q:person.date_of_birth:year": "1"}
FILE = {"slot:/Business%20plan": factories.upload(b"MZ no document", "virus.exe")}


@pytest.fixture
def company(complete: Draft) -> Draft:
    """A complete draft with a company among its shareholders."""
    raw, owner = {"corporate.name": "Kestrel"}, complete.application.owner
    services.add_party(complete, "corporate", ["shareholder"], raw, by=owner, token="kestrel")
    return complete


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("sections/the-company/", {"version": "1", **FILE}),
        ("people/ada/", {"version": "1", **BIRTH}),
        ("people/kestrel/owners/", {"version": "1", "owner": "", "part": "most of it"}),
        ("/accounts/email/", {"email": "ada", "action_add": ""}),
    ],
    ids=["a file of a section", "a party", "owners", "an address"],
)
def test_a_form_that_refuses_says_what_at_its_head_and_at_its_place(
    as_owner: Client, company: Draft, path: str, data: dict[str, Any]
) -> None:
    answer = as_owner.post(path if path.startswith("/") else f"{root(company)}{path}", data)
    assert list(faults_of_summary(answer.content.decode())) == []


def test_the_forms_of_somebodys_own_part_say_so_too(as_nobody: Client, company: Draft) -> None:
    ada = company.parties[0]
    invited = parts.invite(company, ada, email="ada@example.com", by=company.application.owner, language="en")
    as_nobody.get(mailbox.latest_link("invitation"))
    url = f"/part/{invited.reference}/"
    as_nobody.post(f"{url}code/")
    wrong = as_nobody.post(f"{url}code/", {"code": "12"})
    assert list(faults_of_summary(wrong.content.decode())) == []
    as_nobody.post(f"{url}code/", {"code": mailbox.latest_code()})
    unreadable = as_nobody.post(url, {"version": "1", **BIRTH})
    assert unreadable.status_code == 422
    assert list(faults_of_summary(unreadable.content.decode())) == []


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("people/ada/", BIRTH),
        ("people/kestrel/owners/", {"owner": "", "part": "most of it"}),
        ("people/ada/invitation/", {"email": "ada"}),
        ("shares/", {"holding:ada:ordinary": "many"}),
    ],
)
def test_a_form_whose_token_is_not_good_holds_all_that_was_typed(
    owner: Any, company: Draft, path: str, data: dict[str, str]
) -> None:
    client = Client(enforce_csrf_checks=True, headers={"origin": "http://testserver"})
    client.force_login(owner)
    typed = data | {"version": "1", "q:note": "Lärk & “Field” <b>"}
    answer = client.post(f"{root(company)}{path}", typed | {"csrfmiddlewaretoken": "x" * 32})
    assert answer.status_code == 403
    forms = lxml_html.fromstring(answer.content.decode()).xpath("//main//form")
    [form] = [one for one in forms if one.xpath(".//button[contains(., 'Send again')]")]
    # A browser leaves out the first line end of a text.
    held = {one.get("name"): (one.text or "").removeprefix("\n") for one in form.xpath(".//textarea[@name]")}
    assert typed.items() <= held.items()
