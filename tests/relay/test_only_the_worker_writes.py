"""Only the worker writes to the service. The whole test run stands under this rule; here is that it holds."""

import pytest

from formation_portal import gateway
from tests import factories
from tests.web_requests import web_request

from .flaky_transport import FlakyTransport

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_a_web_request_that_writes_fails_its_test(transport: FlakyTransport) -> None:
    body = {"jurisdiction_product_id": factories.ITEM["jurisdiction_product_id"]}
    with web_request(), pytest.raises(AssertionError, match="POST /api/v1/entities"):
        gateway.service().create_entity(body, key="k")
    assert transport.calls == []
    gateway.service().create_entity(body, key="k")
