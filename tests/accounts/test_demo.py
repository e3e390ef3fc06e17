"""The demo's accounts come and go with the demo setting."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.accounts import demo
from formation_portal.accounts.models import User
from tests.accounts.people import sign_in

pytestmark = pytest.mark.django_db


def signed_in(email: str) -> bool:
    client = Client()
    sign_in(client, demo.PASSWORD, email)
    return "_auth_user_id" in client.session


def test_the_demos_accounts_are_made_once_and_two_of_them_are_agents(django_assert_num_queries: Any) -> None:
    demo.ensure_demo_accounts()
    assert all(signed_in(email) for email in demo.ACCOUNTS)
    agents = User.objects.filter(is_agent=True).order_by("pk").values_list("email", flat=True)
    assert list(agents) == ["agent@example.com", "colleague@example.com"]
    before = list(User.objects.values_list("pk", "password"))
    with django_assert_num_queries(1):
        demo.ensure_demo_accounts()
    assert list(User.objects.values_list("pk", "password")) == before


def test_without_the_demo_its_accounts_are_shut_and_signed_out_for_good() -> None:
    demo.ensure_demo_accounts()
    client = Client()
    sign_in(client, demo.PASSWORD, "demo@example.com")
    demo.deactivate_demo_accounts()
    assert not signed_in("agent@example.com")
    demo.ensure_demo_accounts()
    assert signed_in("agent@example.com")
    assert client.get("/applications/").status_code == 302
