"""The demo's accounts come and go with the demo setting."""

import pytest
from django.test import Client

from formation_portal.accounts import demo
from formation_portal.accounts.models import User

pytestmark = pytest.mark.django_db


def sign_in(email: str, password: str = demo.PASSWORD) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": email, "password": password})
    return client


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.mark.parametrize("email", demo.ACCOUNTS)
def test_one_signs_in_by_a_demo_account(email: str) -> None:
    demo.ensure_demo_accounts()
    assert is_in(sign_in(email))


def test_only_the_two_agents_may_open_the_desk() -> None:
    demo.ensure_demo_accounts()
    agents = User.objects.filter(is_agent=True).order_by("pk").values_list("email", flat=True)
    assert list(agents) == ["agent@example.com", "colleague@example.com"]


def test_a_second_start_makes_nothing_twice(django_assert_num_queries: object) -> None:
    demo.ensure_demo_accounts()
    before = list(User.objects.values_list("pk", "password"))
    with django_assert_num_queries(1):  # type: ignore[operator]
        demo.ensure_demo_accounts()
    assert list(User.objects.values_list("pk", "password")) == before


def test_without_the_demo_its_accounts_are_shut() -> None:
    demo.ensure_demo_accounts()
    demo.deactivate_demo_accounts()
    assert not is_in(sign_in("agent@example.com"))


def test_with_the_demo_again_they_are_open_again() -> None:
    demo.ensure_demo_accounts()
    demo.deactivate_demo_accounts()
    demo.ensure_demo_accounts()
    assert is_in(sign_in("demo@example.com"))
