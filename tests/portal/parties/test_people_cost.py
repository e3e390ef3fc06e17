"""Pages with many people take as many queries as pages with one."""

from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def queries(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(connections["default"]) as seen, CaptureQueriesContext(connections["service"]) as beyond:
        assert client.get(path).status_code == 200
    assert len(beyond) == 0
    return len(seen)


@pytest.mark.parametrize("page", ["people/", "people/{token}/", "shares/", "documents/", "sections/the-company/"])
def test_a_page_takes_as_many_queries_for_ten_people_as_for_one(
    as_owner: Client, complete: Draft, owner: Any, page: str
) -> None:
    path = f"/applications/{complete.application.reference}/{page.format(token=complete.parties[0].token)}"
    few = queries(as_owner, path)
    for number in range(9):
        party = services.add_party(
            complete,
            "person",
            ["director", "shareholder"],
            {**factories.ADA, "person.last_name": f"No {number}"},
            by=owner,
        )
        services.add_document(complete, party, "Passport", factories.upload(), by=owner)
        share_class = factories.new_share_class(
            complete, {**factories.ORDINARY, "share_class.name": f"No {number}"}, by=owner
        )
        services.save_holdings(complete, {(party.token, share_class.token): "5"}, by=owner)
    assert queries(as_owner, path) == few
    assert few <= 14
