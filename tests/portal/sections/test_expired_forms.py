"""Whatever form it is: what was typed is still there when the session has ended or the token is no longer good."""

from typing import Any

import pytest
from django.test import Client
from lxml import html as lxml_html

from formation_portal.applications.draft import Draft
from tests.journeys.clients import InProcessBrowser

from .test_error_summaries import company, refused_post

__all__ = ["company"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

PASSWORD = "quite-a-long-one"
# Files can't be put into a page again; the page says so (tests/portal/site/test_unsent.py).
FORMS = ("section", "party", "owners", "shares", "invitation")


def posted(form: str, draft: Draft) -> tuple[str, dict[str, str]]:
    """The address of a form, and what is typed and chosen there: more than the form alone would refuse."""
    path, data = refused_post(draft, form)
    typed = {name: str(value) for name, value in data.items()} | {"q:note": "Lärk & “Field” <b>"}
    return f"/applications/{draft.application.reference}/{path}", typed


def hidden_fields(html: str) -> dict[str, str]:
    """What the form that sends it again holds."""
    root = lxml_html.fromstring(html)
    [form] = [one for one in root.xpath("//main//form") if one.xpath(".//button[contains(., 'Send again')]")]
    # A browser leaves out the first line end of a text.
    return {one.get("name"): (one.text or "").removeprefix("\n") for one in form.xpath(".//textarea[@name]")}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_whose_token_is_not_good_holds_all_that_was_typed(owner: Any, company: Draft, form: str) -> None:
    client = Client(enforce_csrf_checks=True, headers={"origin": "http://testserver"})
    client.force_login(owner)
    path, typed = posted(form, company)
    answer = client.post(path, typed | {"csrfmiddlewaretoken": "x" * 32})
    assert answer.status_code == 403
    assert typed.items() <= hidden_fields(answer.content.decode()).items()


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_is_sent_after_the_session_has_ended_holds_all_that_was_typed(
    owner: Any, company: Draft, form: str
) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    browser = InProcessBrowser(Client())
    path, typed = posted(form, company)
    answer = browser.client.post(path, typed)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")
    signing = browser.get(answer["Location"]).form(button="Sign in")
    next(one for one in signing.controls if one.kind == "email").filled = [owner.email]
    next(one for one in signing.controls if one.kind == "password").filled = [PASSWORD]
    browser.send(signing, signing.button("Sign in"))
    kept = browser.client.get("/unsent/")
    assert typed.items() <= hidden_fields(kept.content.decode()).items()
