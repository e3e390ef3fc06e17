"""A browser that shows the page of an error instead of raising the error."""

import pytest
from django.test import Client


@pytest.fixture
def browser(as_owner: Client) -> Client:
    as_owner.raise_request_exception = False
    return as_owner
