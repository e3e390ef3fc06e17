"""What its customer does to a returned application takes as many queries with many parties as with few."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.contract.lifecycle import State
from tests.campaigns.bench.parties import application_of, calls_of_returned, stand_as

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("full_catalog")]


def test_its_pages_and_changes_take_as_many_queries_with_60_parties_as_with_15(as_owner: Client, owner: Any) -> None:
    taken: list[dict[str, int]] = []
    for parties in (15, 60):
        draft = application_of(owner, parties=parties)
        stand_as(draft, State.RETURNED_FOR_CHANGES)
        queries = {}
        for name, call in calls_of_returned(as_owner, draft):
            assert call().status_code in (200, 302)
            with CaptureQueriesContext(connection) as captured:
                call()
            queries[name] = len(captured)
        taken.append(queries)
    assert taken[0] == taken[1]
