"""The migrations that make agents' rights permissions of Django's, there and back."""

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE, AFTER = ("accounts", "0004_one_address"), ("accounts", "0006_remove_rights")
WORKBENCH, LATEST = ("accounts", "0007_workbench"), ("accounts", "0012_bind_second_factors")
# What the accounts had, and whether each is still a superuser afterwards.
ACCOUNTS: dict[str, Any] = {
    "agent@example.com": {"is_agent": True, "rights": ["review", "audit"]},
    "reader@example.com": {"is_agent": True, "rights": []},
    "old@example.com": {"is_agent": True, "rights": ["decide", "rule the world"]},
    "closed@example.com": {"is_agent": True, "is_active": False, "rights": ["export"]},
    "owner@example.com": {"is_agent": False},
    "root@example.com": {"is_agent": True, "is_superuser": True},
    "limited@example.com": {"is_agent": True, "is_superuser": True, "rights": ["confirm"]},
}
EVERYTHING = {"review", "decide", "confirm", "export", "audit"}
HAVE = {
    "agent@example.com": {"review", "audit"},
    "reader@example.com": set(),
    "old@example.com": {"decide"},
    "closed@example.com": {"export"},
    "owner@example.com": set(),
    "root@example.com": EVERYTHING,
    "limited@example.com": {"confirm"},
}


def migrate(to: tuple[str, str]) -> Any:
    """The users as they are at that migration."""
    MigrationExecutor(connection).migrate([to])
    return MigrationExecutor(connection).loader.project_state([to]).apps.get_model("accounts", "User").objects


def permissions(users: Any) -> dict[str, set[str]]:
    return {one.email: set(one.user_permissions.values_list("codename", flat=True)) for one in users.all()}


def test_each_agent_has_the_same_rights_there_and_back() -> None:
    try:
        before = migrate(BEFORE)
        for email, fields in ACCOUNTS.items():
            before.create(email=email, **fields)
        after = migrate(AFTER)
        assert permissions(after) == HAVE
        assert [one.email for one in after.filter(is_superuser=True)] == ["root@example.com"]
        back = {one.email: set(one.rights) for one in migrate(BEFORE).all()}
        # A customer has all of them by default, and may do nothing by them.
        assert back == HAVE | {"owner@example.com": EVERYTHING}
        assert permissions(migrate(AFTER)) == HAVE
        # Whoever had every right has the one to try out schemas as well, and nobody else has.
        tried = {who: has | ({"workbench"} if has == EVERYTHING else set()) for who, has in HAVE.items()}
        assert permissions(migrate(WORKBENCH)) == tried
    finally:
        latest = migrate(LATEST)
    # Whoever works on cases opens all of them as before; nobody has the right to make keys.
    work = {"review", "decide", "confirm", "export"}
    assert permissions(latest) == {
        who: has | ({"own_cases", "all_cases"} if has & work else set()) for who, has in tried.items()
    }
    assert permissions(migrate(WORKBENCH)) == tried
    migrate(LATEST)
