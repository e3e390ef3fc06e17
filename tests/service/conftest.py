"""The actors of the service's tests: two accounts, and an agent of the first. The catalog is the small one."""

import pytest

from formation_portal.service.catalog.loader import store_catalog
from tests.service import example_catalog
from tests.service.caller import Caller, forget_calls


@pytest.fixture
def loaded(db: None) -> None:
    store_catalog(example_catalog.items())
    forget_calls()


@pytest.fixture
def caller(loaded: None) -> Caller:
    """The account that everything in a test belongs to."""
    return Caller.with_scopes(account="ours")


@pytest.fixture
def other_account(loaded: None) -> Caller:
    """Another account, with every scope."""
    return Caller.with_scopes(account="theirs")


@pytest.fixture
def entity(caller: Caller) -> str:
    """A draft of the company with shares."""
    return caller.entity(name="Larkfield Limited")
