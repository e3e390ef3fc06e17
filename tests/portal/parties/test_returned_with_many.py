"""What its customer does to a returned application reads as much of many parties as of few."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications.models import Document, Holding, Party
from formation_portal.contract.lifecycle import State
from formation_portal.relay.models import Delivery
from tests.bench.parties import application_of, calls_of_returned, stand_as

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("full_catalog")]


@contextmanager
def rows_read(*kinds: type[models.Model]) -> Iterator[Counter[str]]:
    """How many rows of these kinds are read meanwhile."""
    read: Counter[str] = Counter()

    def counting(model: type[models.Model], from_db: Any) -> Any:
        def count(*values: Any) -> Any:
            read[model.__name__] += 1
            return from_db(*values)

        return count

    patches = [patch.object(kind, "from_db", counting(kind, kind.from_db)) for kind in kinds]
    for one in patches:
        one.start()
    yield read
    for one in patches:
        one.stop()


def test_its_pages_and_changes_read_as_much_of_150_parties_as_of_20(as_owner: Client, owner: Any) -> None:
    read: list[dict[str, tuple[int, Counter[str]]]] = []
    for parties in (20, 150):
        draft = application_of(owner, parties=parties)
        stand_as(draft, State.RETURNED_FOR_CHANGES)
        cost = {}
        for name, call in calls_of_returned(as_owner, draft):
            assert call().status_code in (200, 302)
            with (
                CaptureQueriesContext(connection) as queries,
                rows_read(Party, Document, Holding, Delivery) as rows,
            ):
                call()
            cost[name] = (len(queries), rows)
        read.append(cost)
    # The overview says what every person lacks, and each is judged with their documents.
    for cost in read:
        del cost["overview"]
    assert read[0] == read[1]
