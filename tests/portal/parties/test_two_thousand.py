"""2,000 people and companies and 100 share classes in one application: every page answers, and takes few queries."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications.draft import Draft
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.contract.lifecycle import State
from tests.campaigns.bench.parties import SLUG, application_of, calls_of_returned, stand_as
from tests.embedded_catalog import catalog_items
from tests.markup import Markup
from tests.portal.pages import query_counts, root

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# The pages that show no list of all parties.
FEW = ("", "sections/{section}/", "people/{party}/", "people/{party}/removal/", "people/new/", "shares/classes/{row}/")
LISTS = ("people/?page=3", "shares/", "shares/?page=2&classes=2", "check/?page=3", "documents/?page=2")


def application(owner: Any, parties: int, classes: int) -> Draft:
    document = next(one for one in catalog_items() if one["product"]["slug"] == SLUG)
    (item,) = parse_catalog([document])
    assert isinstance(item, CatalogItem)
    return application_of(owner, parties=parties, classes=classes, product=item, is_sent=False)


@pytest.mark.parametrize(("many", "classes"), [(105, 15), pytest.param(2000, 100, marks=pytest.mark.long)])
def test_a_page_that_shows_no_list_takes_as_many_queries_with_many_as_with_20(
    as_owner: Client, owner: Any, many: int, classes: int
) -> None:
    taken = []
    for count in (20, many):
        draft = application(owner, count, classes)
        section, party, row = draft.schema.entity_sections[0], draft.parties[3], draft.share_classes[5]
        names = {"section": section.key, "party": party.token, "row": row.token}
        taken.append(query_counts(as_owner, *(root(draft) + page.format(**names) for page in FEW)))
    assert taken[0] == taken[1]
    _lists_are_paged(as_owner, draft)


def _lists_are_paged(client: Client, draft: Draft) -> None:
    for page in LISTS:
        with CaptureQueriesContext(connection) as queries:
            found = Markup(client.get(root(draft) + page).content.decode())
        assert found.faults == []
        assert len(queries) <= 20
        assert any(one.attributes.get("class") == "pages" for one in found.all("nav"))
        # Each empty or filled slot of a document has forms of its own.
        assert len(found.all("input")) < 50 * (20 if page.startswith("documents") else 12) + 60
        assert len([one for one in found.all("tr") if not one.inside("details")]) <= 50 + 20
        assert len([one for one in found.all("li") if one.attributes.get("id", "").startswith("party-")]) <= 50


@pytest.mark.usefixtures("full_catalog")
def test_a_returned_one_takes_as_many_queries_with_60_parties_as_with_15(as_owner: Client, owner: Any) -> None:
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
