"""What rights accounts have, and what is said to who lacks one. What each right opens: tests/access/table.md."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from formation_portal.accounts.models import Right, User
from tests import factories
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_the_page_names_colleagues_to_ask(agent: User, as_agent: Client) -> None:
    factories.person("dev@example.com", "Dev", "Ramanathan", is_agent=True)
    factories.person("zoe@example.com", "Zoe", "Quist", is_agent=True, rights=["review"])
    factories.person("otto@example.com", "Otto", "Fremd")
    # Has left: nobody can ask them.
    factories.person("abe@example.com", "Abe", "Past", is_agent=True, is_active=False)
    agent.set_rights([])
    markup = Markup(as_agent.get("/desk/audit/").content.decode())
    assert markup.faults == []
    main = markup.one("main").text
    assert "Ask a colleague who has this right: Dev Ramanathan." in main
    assert "agent_rights agent@example.com --give audit" in main


def test_a_customer_has_no_rights_and_a_new_agent_all_unless_some_are_named(owner: User, agent: User) -> None:
    assert owner.get_all_permissions() == set()
    assert agent.get_all_permissions() == {right.permission for right in Right}
    other = User.objects.create_user("dev@example.com", is_agent=True, rights=["review", "rule the world"])
    assert other.get_all_permissions() == {"accounts.review"}


def test_a_group_gives_no_right_and_a_closed_account_has_none(
    agent: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    agent.set_rights([Right.REVIEW])
    group = Group.objects.create(name="Reviewers")
    group.permissions.set(Permission.objects.filter(codename=Right.DECIDE))
    agent.groups.add(group)
    agent = User.objects.get(pk=agent.pk)
    with django_assert_num_queries(1):
        assert [right for right in Right if agent.has_perm(right.permission)] == [Right.REVIEW]
    closed = User.objects.create_user("abe@example.com", is_agent=True, is_active=False)
    assert not closed.has_perm(Right.REVIEW.permission)
