"""Every form that can refuse something says so in a summary, with the same words at the control (goal 8)."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.invitations import parts
from tests import factories
from tests.error_summaries import faults_of_summary
from tests.invitations import mailbox

pytestmark = pytest.mark.django_db(databases=["default", "service"])

STARTED = {"q:started_on:day": "31", "q:started_on:month": "2", "q:started_on:year": "2020"}
BIRTH = {"q:person.date_of_birth:day": "99", "q:person.date_of_birth:month": "9", "q:person.date_of_birth:year": "1"}
NOT_A_DOCUMENT = factories.upload(b"MZ no document", "virus.exe")

Post = tuple[str, dict[str, Any]]

FORMS = (
    *("section", "section_with_a_file", "party", "party_new", "owners", "share_class", "shares"),
    *("documents", "declaration", "spreadsheet", "invitation", "access"),
)


def refused_post(draft: Draft, form: str) -> Post:
    """Return the address of one of the owner's forms, and what it refuses."""
    ada, kestrel = draft.parties
    [ordinary] = draft.share_classes
    version = draft.version("the-company")
    holding = {f"holding:{ada.token}:{ordinary.token}": "many"}
    posts: dict[str, Post] = {
        "section": ("sections/the-company/", {"version": version, **STARTED}),
        "section_with_a_file": (
            "sections/the-company/",
            {"version": version, "slot:/Business%20plan": NOT_A_DOCUMENT},
        ),
        "party": (f"people/{ada.token}/", {"version": "1", **BIRTH}),
        "party_new": ("people/new/", {"kind": "person"}),
        "owners": (f"people/{kestrel.token}/owners/", {"version": "1", "owner": "", "part": "most of it"}),
        "share_class": (f"shares/classes/{ordinary.token}/", {"version": "1", "q:par_value": "much"}),
        "shares": ("shares/", {"version": draft.version("share-classes")} | holding),
        "documents": ("documents/", {"slot": "/Business plan", "file": NOT_A_DOCUMENT}),
        "declaration": ("submission/", {}),
        "spreadsheet": ("people/spreadsheet/", {}),
        "invitation": (f"people/{ada.token}/invitation/", {"email": "ada"}),
        "access": ("access/", {"email": "ada", "right": "view"}),
    }
    return posts[form]


@pytest.fixture
def company(complete: Draft) -> Draft:
    """A complete draft with a company among its shareholders."""
    owner = complete.application.owner
    services.add_party(complete, "corporate", ["shareholder"], {"corporate.name": "Kestrel"}, by=owner)
    return complete


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_refuses_says_what_at_its_head_and_at_its_place(
    as_owner: Client, company: Draft, form: str
) -> None:
    path, data = refused_post(company, form)
    answer = as_owner.post(f"/applications/{company.application.reference}/{path}", data)
    assert answer.status_code == 422
    assert list(faults_of_summary(answer.content.decode())) == []


ACCOUNT_FORMS = (
    ("/accounts/signup/", {}),
    ("/accounts/signup/", {"email": "ada", "password1": "x"}),
    ("/accounts/login/", {"login": "ada@example.com", "password": "not this"}),
    ("/accounts/password/reset/", {"email": "ada"}),
)


@pytest.mark.parametrize(("path", "data"), ACCOUNT_FORMS)
def test_a_form_before_signing_in_says_so_too(as_nobody: Client, path: str, data: dict[str, str]) -> None:
    answer = as_nobody.post(path, data)
    # What is wrong with an address and a password together belongs to neither.
    faults = faults_of_summary(answer.content.decode(), is_for_several="login" in path)
    assert list(faults) == []


@pytest.mark.parametrize("path", ["/accounts/password/change/", "/accounts/email/"])
def test_a_form_of_the_account_says_so_too(as_owner: Client, owner: Any, path: str) -> None:
    owner.set_password("formation-demo")
    owner.save()
    as_owner.force_login(owner)
    answer = as_owner.post(path, {"oldpassword": "no", "password1": "x", "email": "ada", "action_add": ""})
    assert list(faults_of_summary(answer.content.decode())) == []


def test_the_forms_of_somebodys_own_part_say_so_too(as_nobody: Client, company: Draft) -> None:
    [ada] = [row for row in company.parties if row.kind == "person"]
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
