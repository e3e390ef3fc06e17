"""What rights accounts have, and what is said to who lacks one. What each right opens: tests/access/table.md."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.accounts.models import Right, User
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_the_page_names_colleagues_to_ask(agent: User, as_agent: Client) -> None:
    User.objects.create_user("dev@example.com", first_name="Dev", last_name="Ramanathan", is_agent=True)
    User.objects.create_user("zoe@example.com", first_name="Zoe", last_name="Quist", is_agent=True, rights=["review"])
    User.objects.create_user("otto@example.com", first_name="Otto", last_name="Fremd")
    # Has left: nobody can ask them.
    User.objects.create_user("abe@example.com", first_name="Abe", last_name="Past", is_agent=True, is_active=False)
    agent.set_rights([])
    markup = Markup(as_agent.get("/desk/audit/").content.decode())
    assert markup.faults == []
    main = markup.one("main").text
    assert "Ask a colleague who has this right: Dev Ramanathan." in main
    assert "agent_rights agent@example.com --give audit" in main


def test_a_customer_has_no_rights(owner: User) -> None:
    assert owner.get_all_permissions() == set()


def test_a_new_agent_has_all_rights_unless_some_are_named(agent: User) -> None:
    assert agent.get_all_permissions() == {right.permission for right in Right}
    other = User.objects.create_user("dev@example.com", is_agent=True, rights=["review", "rule the world"])
    assert other.get_all_permissions() == {"accounts.review"}


def test_a_customers_page_asks_for_no_rights(as_owner: Client) -> None:
    with CaptureQueriesContext(connection) as captured:
        as_owner.get("/applications/")
    assert [one["sql"] for one in captured if "auth_permission" in one["sql"]] == []
