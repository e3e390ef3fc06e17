"""A returned application: each problem on top, with its note and link; corrections are sent together, once."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.relay.models import Delivery, DeliveryState
from tests import factories
from tests.encrypted_rows import update_each
from tests.markup import Markup
from tests.portal.pages import page_at, root

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def trouble(**where: str) -> dict[str, str]:
    return dict.fromkeys(("field", "section", "party", "share_class", "slot"), "") | {"code": "invalid"} | where


@pytest.fixture
def returned(submitted: Draft) -> Draft:
    """Returned with a problem of the whole submission and one of a document."""
    name = trouble(field="entity.name", section="the-company", message="Choose another name")
    where = {"party": "ada", "section": "directors", "slot": "Passport"}
    document_problem = trouble(**where, message="The page is cut off. Upload it whole")
    rows = Delivery.objects.filter(application=submitted.application)
    update_each(rows.filter(kind="submission"), state=DeliveryState.REFUSED, problems=[name])
    update_each(rows.filter(kind="document"), state=DeliveryState.REFUSED, problems=[document_problem])
    services.reopen(submitted, reason="The formation service asks for a change")
    return submitted


def page_of(client: Client, draft: Draft, page: str = "") -> Markup:
    return page_at(client, f"{root(draft)}{page}")


@pytest.mark.parametrize("page", ["", "status/"])
def test_each_thing_that_came_back_stands_first_with_its_note_and_leads_to_its_control(
    page: str, returned: Draft, as_owner: Client
) -> None:
    markup = page_of(as_owner, returned, page)
    first = next(one for one in markup.all("section"))
    assert first.attributes["aria-labelledby"] == "returned"
    assert "“Choose another name”" in first.text
    assert "“The page is cut off. Upload it whole”" in first.text
    links = {one.text: one.attributes["href"] for one in markup.all("a") if one.attributes.get("class") == "button"}
    for words in ("Change it: Name", "Upload it again: Passport, Ada Lovelace"):
        address, _, anchor = links[words].partition("#")
        assert anchor in {one.attributes.get("id") for one in page_at(as_owner, address).elements}, words


def test_what_was_changed_since_is_counted_and_the_rest_stands_in_the_way(
    returned: Draft, owner: Any, as_owner: Client
) -> None:
    assert "Waiting for you to make 2 corrections." in page_of(as_owner, returned, "status/").one("main").text
    assert "2 items to complete" in page_of(as_owner, returned).one("main").text
    assert as_owner.post(f"{root(returned)}submission/", {"declaration": "1"}).status_code == 422
    assert factories.again(returned).application.status is State.RETURNED_FOR_CHANGES
    factories.save_section(returned, "the-company", {"entity.name": "Larkspur"}, by=owner)
    main = page_of(as_owner, returned, "status/").one("main").text
    assert "Waiting for you to make 1 correction." in main
    assert "You have changed this." in main
    assert "Changed “The company”: Name" in main
    services.add_document(returned, returned.parties[0], "Passport", factories.upload(factories.PDF + b"2"), by=owner)
    assert "Waiting for you to send your corrections." in page_of(as_owner, returned, "status/").one("main").text


def test_a_return_without_queries_says_why_in_the_words_of_who_returned_it(submitted: Draft, as_owner: Client) -> None:
    services.reopen(submitted, reason="Please look at the name again")
    for page in ("", "status/"):
        assert "Please look at the name again." in page_of(as_owner, submitted, page).one("main").text


def test_many_corrections_cost_no_more_queries(
    returned: Draft, owner: Any, as_owner: Client, django_assert_num_queries: Any
) -> None:
    for page in ("", "status/", "check/"):
        as_owner.get(f"{root(returned)}{page}")
        with CaptureQueriesContext(connection) as few:
            as_owner.get(f"{root(returned)}{page}")
        for number in range(3):
            factories.save_section(returned, "the-company", {"entity.name": f"Larkspur {page} {number}"}, by=owner)
        with django_assert_num_queries(len(few)):
            as_owner.get(f"{root(returned)}{page}")
