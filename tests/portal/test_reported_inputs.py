"""Inputs from public bug reports of other forms, on the pages: each with a repository and an issue of GitHub."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from formation_portal.applications.draft import Draft, open_draft

from .pages import page_at, section_url
from .test_cleaned_text import save_section

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_an_account_is_opened_with_a_name_and_an_address_as_a_telephone_types_them() -> None:
    # codeforamerica/golden-ticket #44, opencrvs/opencrvs-core #5127, whatwg/html #1389,
    # alphagov/notifications-utils #500
    typed = {
        "first_name": "J'Marcus",
        "last_name": "O\u2019Neill",
        "email": "j.o\u2019neill\uff20example.com",
        "password1": "a long enough passphrase",
    }
    assert Client().post("/accounts/signup/", typed).status_code == 302
    user = get_user_model().objects.get()
    assert (user.get_full_name(), user.email) == ("J'Marcus O\u2019Neill", "j.o'neill@example.com")


@pytest.mark.parametrize(
    "name",
    [
        "G&L Brothers",  # frappe/erpnext #23901
        "20|20 Research",  # PalisadoesFoundation/talawa #505
        "RE/MAX",  # bcgov/entity #3079
    ],
)
def test_a_companys_name_is_shown_as_it_was_typed(as_owner: Client, draft: Draft, name: str) -> None:
    save_section(as_owner, draft.application, "the-company", name=name, activity="Holding company")
    assert open_draft(draft.application).title == name
    page = page_at(as_owner, section_url(draft))
    assert page.one("input", name="q:name").attributes["value"] == name
