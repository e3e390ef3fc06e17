"""Another language is chosen by a button of the page's own form: what was typed is kept, and nothing is saved."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.uploads import read_sheet
from formation_portal.applications.models import Application
from formation_portal.invitations import codes, parts
from formation_portal.invitations.models import Invitation
from tests import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, as_csv
from tests.invitations import mailbox
from tests.journeys.page import Form, Page
from tests.markup import Markup
from tests.portal.pages import root

pytestmark = pytest.mark.django_db(databases=["default", "service"])

DEUTSCH = "Deutsch"


def opened(client: Client, address: str) -> Form:
    """The form of the page that its languages belong to."""
    page = Page(client.get(address).content.decode(), address)
    [form] = [one for one in page.forms if one.has_button(DEUTSCH)]
    return form


def fill(form: Form, **typed: str | list[str]) -> Form:
    """By the names of the controls."""
    for name, value in typed.items():
        control = next(one for one in form.controls if one.name == name)
        control.filled = value if isinstance(value, list) else [value]
    return form


def in_german(client: Client, form: Form, **files: Any) -> Form:
    """What the form holds after the button was pressed, on a sound page in German."""
    button = form.button(DEUTSCH)
    data: dict[str, Any] = {}
    for name, value in form.data(button):
        data.setdefault(name, []).append(value)
    response = client.post(button.action, data | files, follow=True)
    html = response.content.decode()
    assert response.status_code == 200
    assert '<html lang="de"' in html
    assert Markup(html).faults == []
    assert client.cookies[settings.LANGUAGE_COOKIE_NAME].value == "de"
    page = Page(html, form.action)
    assert page.errors == []
    return next(one for one in page.forms if one.has_button("Français"))


def held(form: Form, name: str) -> list[str]:
    return next(one for one in form.controls if one.name == name).filled


@pytest.mark.parametrize(
    ("address", "typed", "held_then"),
    [
        (
            "/accounts/signup/",
            {"first_name": "Ida", "last_name": "Lund", "email": "ida@example.com", "password1": "a-long-secret"},
            {"first_name": ["Ida"], "last_name": ["Lund"], "email": ["ida@example.com"], "password1": [""]},
        ),
        (
            "/accounts/login/?next=/applications/",
            {"login": "owner@example.com", "password": "a-long-secret", "remember": ["on"]},
            {"login": ["owner@example.com"], "password": [""], "remember": ["on"]},
        ),
    ],
)
def test_signing_up_and_in_keeps_all_but_the_password(
    as_nobody: Client, address: str, typed: dict[str, Any], held_then: dict[str, list[str]]
) -> None:
    again = in_german(as_nobody, fill(opened(as_nobody, address), **typed))
    assert {name: held(again, name) for name in typed} == held_then
    assert ("next", "/applications/") in again.fixed or "next" not in address
    assert "_auth_user_id" not in as_nobody.session
    assert not get_user_model().objects.exists()


@pytest.mark.parametrize(
    ("address", "typed"),
    [
        ("/accounts/email/", {"email": "new@example.com"}),
        ("{}people/new/?kind=person", {"roles": ["director", "shareholder"], "me": ["1"]}),
        ("{}people/ada/invitation/", {"email": "half@"}),
        ("{}check/", {"declaration": ["1"]}),
    ],
)
def test_what_a_customer_has_typed_is_kept_and_not_done(
    as_owner: Client, complete: Draft, address: str, typed: dict[str, Any]
) -> None:
    form = fill(opened(as_owner, address.format(root(complete))), **typed)
    again = in_german(as_owner, form)
    for name, value in typed.items():
        assert [one for one in held(again, name) if one] == ([value] if isinstance(value, str) else value)
    assert [one for one in again.fixed if one[0] == "token"] == [one for one in form.fixed if one[0] == "token"]
    assert EmailAddress.objects.count() == 1
    assert not Invitation.objects.exists()
    now = open_draft(Application.objects.get(pk=complete.application.pk))
    assert ([row.token for row in now.parties], now.application.submitted_at) == (["ada"], None)


def test_a_new_class_of_shares_is_saved_first(as_owner: Client, draft: Draft) -> None:
    form = opened(as_owner, f"{root(draft)}shares/classes/new/")
    name = next(one.name for one in form.controls if "Name" in one.words)
    again = in_german(as_owner, fill(form, **{name: "Ordinary A"}))
    assert held(again, name) == ["Ordinary A"]
    [row] = open_draft(draft.application).share_classes
    assert row.label == "Ordinary A"


def test_a_sheet_that_was_chosen_is_kept_to_be_looked_at(as_owner: Client, draft: Draft) -> None:
    address = f"{root(draft)}people/spreadsheet/"
    in_german(as_owner, opened(as_owner, address), sheet=factories.upload(as_csv(HEADS, ADA), name="people.csv"))
    assert "people.csv" in as_owner.get(address).content.decode()
    assert open_draft(draft.application).parties == ()


def test_what_is_to_be_done_with_each_row_of_a_sheet_stays_chosen(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    sheet = read_sheet(
        as_csv(HEADS, ADA, NOOR, ("Person", "yes", "", "Tom", *NOOR[4:])), keys_by_heading(draft.schema), account=1
    )
    kept = services.keep_import(draft, sheet, name="people.csv", by=owner)
    form = opened(as_owner, f"{root(draft)}people/imports/{kept.token}/")
    ticked = next(one for one in form.controls if one.name == "row")
    other_row = next(one for one in form.controls if one.name.startswith("row:"))
    left, apart = ticked.filled[:1], other_row.options[-1].value
    again = in_german(as_owner, fill(form, **{"row": left, other_row.name: apart}))
    assert held(again, "row") == left
    assert held(again, other_row.name) == [apart]
    assert len(open_draft(draft.application).parties) == 1


def test_a_code_is_kept_and_not_tried(as_nobody: Client, complete: Draft, owner: Any) -> None:
    invitation = parts.invite(complete, complete.parties[0], email="ada@example.com", by=owner, language="en")
    as_nobody.get(mailbox.latest_link("invitation"))
    codes.send_code(invitation)
    again = in_german(as_nobody, fill(opened(as_nobody, f"/part/{invitation.reference}/code/"), code="123"))
    assert held(again, "code") == ["123"]
    invitation.refresh_from_db()
    assert invitation.code_tries == 0


def test_a_foreign_address_is_never_led_to(as_nobody: Client) -> None:
    for page in ("https://evil.example/", "//evil.example/", ""):
        response = as_nobody.post(f"/language/?page={page}", {"language": "de", "kind": "person"})
        assert response["Location"] == "/?kind=person"


def test_a_forged_post_changes_no_language(owner: Any) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    assert browser.post("/accounts/email/", {"language": "de", "action_add": ""}).status_code == 403
    owner.refresh_from_db()
    assert owner.language != "de"
    assert settings.LANGUAGE_COOKIE_NAME not in browser.cookies


def test_a_right_password_that_comes_along_signs_nobody_in_and_is_not_shown(as_nobody: Client, owner: Any) -> None:
    owner.set_password("a-long-secret")
    owner.save()
    posted = {"login": owner.email, "password": "a-long-secret", "language": "de"}
    response = as_nobody.post("/accounts/login/", posted)
    assert "_auth_user_id" not in as_nobody.session
    assert "a-long-secret" not in response.content.decode()
