"""A customer's applications: the list, and deleting a draft."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.portal.applications.pages import application_row
from tests import factories

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_one_sees_only_ones_own(application: Application, as_owner: Client, as_other_customer: Client) -> None:
    assert application.reference in as_owner.get("/applications/").content.decode()
    assert application.reference not in as_other_customer.get("/applications/").content.decode()


def test_a_long_list_has_pages_and_a_fixed_number_of_queries(
    owner: Any, as_owner: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(25):
        draft = open_draft(services.start(owner=owner, product=factories.product()))
        factories.save_section(draft, "the-company", {"entity.name": f"Larkfield {number}"}, by=owner)
    as_owner.get("/applications/")
    with django_assert_max_num_queries(6):
        html = as_owner.get("/applications/").content.decode()
    assert html.count('class="task-name"') == 20
    assert as_owner.get("/applications/?page=2").content.decode().count('class="task-name"') == 5


@pytest.mark.parametrize(
    ("state", "mark", "status", "waits", "page"),
    [
        ("draft", "half", "Draft", "Waiting for you. ", ""),
        ("submitted_for_review", "open", "Submitted for review", "Waiting for our reviewer since ", "status/"),
        ("in_review", "open", "In review", "Waiting for our reviewer since ", "status/"),
        ("returned_for_changes", "warning", "Returned to you", "Waiting for you. ", ""),
        ("submitted_to_csp", "open", "With the registry", "Waiting for the registry. ", "status/"),
        ("incorporated", "met", "Incorporated", "", "status/"),
        ("rejected", "error", "Declined", "", "status/"),
        ("withdrawn", "later", "Withdrawn", "", "status/"),
    ],
)
def test_each_application_says_where_it_stands_and_who_is_waited_for(
    application: Application, owner: Any, state: str, mark: str, status: str, waits: str, page: str
) -> None:
    Application.objects.update(state=state, submitted_at=timezone.now())
    row = application_row(Application.objects.visible_to(owner).get())
    assert (row.state, row.status, row.title) == (mark, status, "Example company")
    assert row.url == f"/applications/{application.reference}/{page}"
    assert row.note.startswith(f"Example company, British Virgin Islands. {waits or 'Saved '}")
    assert row.note.count("Waiting") == bool(waits)


def test_an_application_to_pay_for_waits_for_its_customer(application: Application, owner: Any) -> None:
    Application.objects.update(state="submitted_for_review", payment_due_since=timezone.now())
    row = application_row(Application.objects.visible_to(owner).get())
    assert (row.state, row.status, "Waiting for you." in row.note) == ("warning", "Waiting for payment", True)
