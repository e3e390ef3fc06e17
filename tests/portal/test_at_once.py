"""Pages that are posted twice at the same moment, on PostgreSQL."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Stake
from formation_portal.mail.models import Email
from formation_portal.relay.models import Delivery
from tests import factories
from tests.portal.pages import root
from tests.portal.parties.test_owners import duo, url
from tests.portal.sharing.test_overtaking_posts import version_fields
from tests.two_connections import at_once, postgresql_only

__all__ = ["duo"]

pytestmark = [pytest.mark.django_db(databases=["default", "service"], transaction=True), postgresql_only]


def press_twice(client: Client, person: Any, path: str, **posted: str) -> Any:
    """Post the same form from two windows at once."""
    windows = client, factories.browser_of(person)
    return at_once(*(lambda window=window: window.post(path, posted) for window in windows))


def reference_in(response: Any) -> str:
    return str(response["Location"].split("/")[2])


def test_two_presses_start_one_application(as_owner: Client, owner: Any, full_catalog: None) -> None:
    product = str(as_owner.get("/").content.decode().partition('name="product" value="')[2].partition('"')[0])
    first, second = press_twice(as_owner, owner, "/applications/", product=product)
    assert (first.error, second.error) == (None, None)
    assert reference_in(first.result) == reference_in(second.result) == Application.objects.get().reference


def test_two_presses_make_one_copy(as_owner: Client, owner: Any, complete: Draft) -> None:
    first, second = press_twice(as_owner, owner, f"{root(complete)}copy/")
    assert (first.error, second.error) == (None, None)
    copy = Application.objects.exclude(pk=complete.application.pk).get()
    assert reference_in(first.result) == reference_in(second.result) == copy.reference


def test_two_presses_submit_once(as_owner: Client, owner: Any, complete: Draft) -> None:
    letters = Email.objects.count()
    first, second = press_twice(as_owner, owner, f"{root(complete)}submission/", declaration="1")
    assert first.result["Location"] == second.result["Location"]
    application = Application.objects.get(pk=complete.application.pk)
    assert application.submissions == 1
    assert application.changes.filter(moved_to="submitted_for_review").count() == 1
    assert Email.objects.count() <= letters + 1


def test_two_presses_withdraw_once(as_owner: Client, owner: Any, submitted: Draft) -> None:
    first, second = press_twice(as_owner, owner, f"{root(submitted)}withdrawal/")
    assert first.result["Location"] == second.result["Location"]
    assert submitted.application.changes.filter(moved_to="withdrawn").count() == 1


def test_owners_of_a_company_never_come_to_more_than_all_of_it(as_owner: Client, owner: Any, duo: Draft) -> None:
    first_window, second_window = as_owner, factories.browser_of(owner)
    mira = {"owner": "new:person", "first_name": "Mira", "last_name": "Sato", "part": "70%"}
    noor = {"owner": "new:person", "first_name": "Noor", "last_name": "Haddad", "part": "45%"}
    address = url(duo)
    first_page, second_page = version_fields(first_window, address), version_fields(second_window, address)
    first, second = at_once(
        lambda: first_window.post(address, first_page | mira), lambda: second_window.post(address, second_page | noor)
    )
    assert first.result.status_code == 302
    assert second.result.status_code in {409, 422}
    assert Stake.objects.count() == 1
    labels = [row.label for row in factories.again(duo).parties]
    assert "Noor Haddad" not in labels


def test_two_windows_that_save_one_answer_ask_which_is_meant(as_owner: Client, owner: Any, draft: Draft) -> None:
    section = draft.schema.entity_sections[0]
    drafts = [factories.again(draft) for _ in range(2)]
    texts = [factories.COMPANY | {"entity.name": name} for name in ("Larkfield Ltd", "Meadow Ltd")]
    first, second = at_once(
        lambda: services.save_section(drafts[0], section, texts[0], version=0, by=owner),
        lambda: services.save_section(drafts[1], section, texts[1], version=0, by=owner),
    )
    assert first.result.conflicts == {}
    assert second.result.conflicts.keys() == {"entity.name"}
    stored = factories.again(draft)
    assert stored.raw(section)["entity.name"] == "Larkfield Ltd"
    assert Delivery.objects.filter(application=draft.application, kind="entity").count() <= 1
