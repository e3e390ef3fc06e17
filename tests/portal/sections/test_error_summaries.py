"""Every form that can refuse something says so in a summary, with the same words at the control (goal 8)."""

from collections.abc import Callable
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


def section(draft: Draft) -> Post:
    version = draft.version("the-company")
    return "sections/the-company/", {"version": version, **STARTED}


def section_with_a_file(draft: Draft) -> Post:
    version = draft.version("the-company")
    return "sections/the-company/", {"version": version, "slot:/Business%20plan": NOT_A_DOCUMENT}


def party(draft: Draft) -> Post:
    return f"people/{draft.parties[0].token}/", {"version": "1", **BIRTH}


def party_new(draft: Draft) -> Post:
    return "people/new/", {"kind": "person"}


def owners(draft: Draft) -> Post:
    company = next(row for row in draft.parties if row.kind == "corporate")
    return f"people/{company.token}/owners/", {"version": "1", "owner": "", "part": "most of it"}


def share_class(draft: Draft) -> Post:
    return f"shares/classes/{draft.share_classes[0].token}/", {"version": "1", "q:par_value": "much"}


def shares(draft: Draft) -> Post:
    holder = next(row for row in draft.parties if draft.is_shareholder(row))
    return "shares/", {
        "version": draft.version("share-classes"),
        f"holding:{holder.token}:{draft.share_classes[0].token}": "many",
    }


def documents(draft: Draft) -> Post:
    return "documents/", {"slot": "/Business plan", "file": NOT_A_DOCUMENT}


def declaration(draft: Draft) -> Post:
    return "submission/", {}


def spreadsheet(draft: Draft) -> Post:
    return "people/spreadsheet/", {}


def invitation(draft: Draft) -> Post:
    return f"people/{draft.parties[0].token}/invitation/", {"email": "ada"}


def access(draft: Draft) -> Post:
    return "access/", {"email": "ada", "right": "view"}


OWNERS_FORMS: tuple[Callable[[Draft], Post], ...] = (
    *(section, section_with_a_file, party, party_new, owners, share_class, shares),
    *(documents, declaration, spreadsheet, invitation, access),
)


@pytest.fixture
def company(complete: Draft) -> Draft:
    """A complete draft with a company among its shareholders."""
    owner = complete.application.owner
    services.add_party(complete, "corporate", ["shareholder"], {"corporate.name": "Kestrel"}, by=owner)
    return complete


@pytest.mark.parametrize("form", OWNERS_FORMS, ids=lambda form: form.__name__)
def test_a_form_that_refuses_says_what_at_its_head_and_at_its_place(
    as_owner: Client, company: Draft, form: Callable[[Draft], Post]
) -> None:
    path, data = form(company)
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
