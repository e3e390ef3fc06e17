"""The printed record says where a line of owners ends, and why."""

from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.ui.printed_record import printed_record
from tests.portal.parties.test_owners import duo

__all__ = ["duo"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_companies_that_own_each_other_are_said_to_and_end_there(duo: Draft, owner: Any) -> None:
    kestrel = next(row for row in duo.parties if row.label == "Kestrel B.V.")
    services.add_party(duo, "corporate", ["shareholder"], {"corporate.name": "Kite Holding"}, by=owner, token="kite")
    kite = next(row for row in duo.parties if row.token == "kite")
    services.save_owners(duo, kestrel, {kite.token: "40%"}, by=owner)
    services.save_owners(duo, kite, {kestrel.token: "25%"}, by=owner)
    entries = printed_record(open_draft(duo.application), made_at=timezone.now()).entries
    [entry] = [one for one in entries if one.title == "Ultimate ownership"]
    [table] = entry.tables
    assert [text.split("\n") for text, *_ in table.rows] == [
        ["Ada Lovelace", "Director, shareholder"],
        ["Kestrel B.V.", "Shareholder. Company", "60% of Kestrel B.V. has no known owner."],
        ["– Kite Holding", "40% of Kestrel B.V. Shareholder. Company", "75% of Kite Holding has no known owner."],
        [
            "– – Kestrel B.V.",
            "25% of Kite Holding. Shareholder. Company",
            "Shown above. These companies own each other.",
        ],
    ]
