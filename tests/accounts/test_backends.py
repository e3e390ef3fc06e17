"""What an agent may do is one query; who signs in is asked once, and of allauth alone."""

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.contrib.auth.models import Group, Permission
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from formation_portal.accounts.models import Right

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


def test_all_rights_of_an_agent_are_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    made = get_user_model().objects.create_user("mira@example.com", is_agent=True, rights=[Right.REVIEW])
    agent = get_user_model().objects.get(pk=made.pk)
    with django_assert_num_queries(1):
        assert [right for right in Right if agent.has_perm(right.permission)] == [Right.REVIEW]


def test_a_group_gives_no_right() -> None:
    agent = get_user_model().objects.create_user("mira@example.com", is_agent=True, rights=[])
    group = Group.objects.create(name="Reviewers")
    group.permissions.set(Permission.objects.filter(codename=Right.DECIDE))
    agent.groups.add(group)
    assert not get_user_model().objects.get(pk=agent.pk).has_perm(Right.DECIDE.permission)


def test_a_closed_account_has_no_rights() -> None:
    agent = get_user_model().objects.create_user("mira@example.com", is_agent=True, is_active=False)
    assert not agent.has_perm(Right.REVIEW.permission)


def test_a_password_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    user = get_user_model().objects.create_user("ada@example.com", PASSWORD)
    checked = []
    monkeypatch.setattr(type(user), "check_password", lambda self, raw: checked.append(raw) or False)
    assert authenticate(None, email="ada@example.com", password=PASSWORD) is None
    assert checked == [PASSWORD]


def test_a_session_from_before_goes_on() -> None:
    client = Client()
    client.force_login(
        get_user_model().objects.create_user("ada@example.com"),
        backend="allauth.account.auth_backends.AuthenticationBackend",
    )
    assert client.get("/applications/").status_code == 200
