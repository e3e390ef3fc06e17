"""The migration that leaves each account one e-mail address."""

from importlib import import_module
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps

from formation_portal.accounts.models import User

pytestmark = pytest.mark.django_db

# (address, verified, primary) of an account's rows, before and after; the first is the account's own before.
ACCOUNTS: dict[str, Any] = {
    "one confirmed": ([("a", True, True)], ("a", True)),
    "one not confirmed": ([("a", False, True)], ("a", False)),
    "a second one that is confirmed": ([("a", True, True), ("b", True, False)], ("a", True)),
    "a second one that never was": ([("a", True, True), ("b", False, False)], ("a", True)),
    "only the second one is confirmed": ([("a", False, True), ("b", True, False)], ("b", True)),
    "none is confirmed": ([("a", False, True), ("b", False, False)], ("a", False)),
    "the main one is another": ([("a", True, False), ("b", True, True)], ("b", True)),
}


def migrate() -> None:
    migration = import_module("formation_portal.accounts.migrations.0004_one_address")
    migration.leave_one(apps, None)


@pytest.mark.parametrize("name", ACCOUNTS)
def test_the_main_address_stays_unless_only_another_one_is_confirmed(name: str) -> None:
    rows, (kept, verified) = ACCOUNTS[name]
    user = User.objects.create_user("a@example.com")
    for address, is_verified, is_primary in rows:
        EmailAddress.objects.create(user=user, email=f"{address}@example.com", verified=is_verified, primary=is_primary)
    migrate()
    user.refresh_from_db()
    stays = EmailAddress.objects.get(user=user)
    assert (stays.email, stays.verified, stays.primary) == (f"{kept}@example.com", verified, True)
    assert user.email == stays.email


def test_whoever_had_taken_anothers_address_gives_it_back() -> None:
    attacker = User.objects.create_user("ada@example.com")
    EmailAddress.objects.create(user=attacker, email="ada@example.com", primary=True)
    EmailAddress.objects.create(user=attacker, email="mallory@example.com", verified=True)
    migrate()
    assert not User.objects.filter(email="ada@example.com").exists()
    assert not EmailAddress.objects.filter(email="ada@example.com").exists()


def test_an_address_that_two_accounts_name_stays_with_the_one_that_signs_in_with_it() -> None:
    first, second = User.objects.create_user("a@example.com"), User.objects.create_user("b@example.com")
    EmailAddress.objects.create(user=first, email="a@example.com", primary=True)
    EmailAddress.objects.create(user=first, email="b@example.com", verified=True)
    EmailAddress.objects.create(user=second, email="b@example.com", primary=True)
    migrate()
    rows = EmailAddress.objects.order_by("user").values_list("user", "email", "verified")
    assert list(rows) == [(first.pk, "a@example.com", False), (second.pk, "b@example.com", False)]
    assert list(User.objects.order_by("pk").values_list("email", flat=True)) == ["a@example.com", "b@example.com"]


def test_many_accounts_are_each_taken_for_themselves() -> None:
    for number in range(30):
        user = User.objects.create_user(f"{number}@example.com")
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        EmailAddress.objects.create(user=user, email=f"second-{number}@example.com", verified=bool(number % 2))
    migrate()
    assert EmailAddress.objects.count() == 30
    assert all(one.email == one.user.email for one in EmailAddress.objects.select_related("user"))
