"""The demo's accounts come and go with the demo setting."""

from typing import Any

import pytest

from formation_portal.accounts import demo
from formation_portal.accounts.models import User
from tests.accounts.people import signed_in

pytestmark = pytest.mark.django_db


def signs_in(email: str) -> bool:
    return "_auth_user_id" in signed_in(demo.PASSWORD, email).session


def test_the_demos_accounts_are_made_once_and_two_of_them_are_agents(django_assert_num_queries: Any) -> None:
    demo.ensure_demo_accounts()
    assert all(signs_in(email) for email in demo.ACCOUNTS)
    agents = User.objects.filter(is_agent=True).order_by("pk").values_list("email", flat=True)
    assert list(agents) == ["agent@example.com", "colleague@example.com"]
    before = list(User.objects.values_list("pk", "password"))
    with django_assert_num_queries(1):
        demo.ensure_demo_accounts()
    assert list(User.objects.values_list("pk", "password")) == before


def test_without_the_demo_its_accounts_are_shut_and_signed_out_for_good() -> None:
    demo.ensure_demo_accounts()
    client = signed_in(demo.PASSWORD, "demo@example.com")
    demo.deactivate_demo_accounts()
    assert not signs_in("agent@example.com")
    demo.ensure_demo_accounts()
    assert signs_in("agent@example.com")
    assert client.get("/applications/").status_code == 302
