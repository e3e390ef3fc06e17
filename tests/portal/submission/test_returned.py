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

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def trouble(**where: str) -> dict[str, str]:
    nowhere = {"field": "", "section": "", "party": "", "share_class": "", "slot": ""}
    return nowhere | {"code": "invalid", "message": "Look again"} | where


@pytest.fixture
def returned(submitted: Draft) -> Draft:
    """Returned with a problem of the whole submission and one of a document."""
    party = submitted.parties[0].token
    name = trouble(field="entity.name", section="the-company", message="Choose another name")
    document_problem = trouble(
        party=party, section="directors", slot="Passport", message="The page is cut off. Upload it whole"
    )
    rows = Delivery.objects.filter(application=submitted.application)
    update_each(rows.filter(kind="submission"), state=DeliveryState.REFUSED, problems=[name])
    update_each(rows.filter(kind="document"), state=DeliveryState.REFUSED, problems=[document_problem])
    services.reopen(submitted, reason="The formation service asks for a change")
    return submitted


def url(draft: Draft, page: str = "") -> str:
    return f"/applications/{draft.application.reference}/{page}"


def page_of(client: Client, draft: Draft, page: str = "") -> Markup:
    markup = Markup(client.get(url(draft, page)).content.decode())
    assert markup.faults == []
    return markup


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
    for words, control in (("Change it: Name", "input"), ("Upload it again: Passport, Ada Lovelace", "li")):
        address, _, anchor = links[words].partition("#")
        target = Markup(as_owner.get(address).content.decode())
        ids = {one.attributes.get("id") for one in target.elements}
        assert anchor in ids, f"{words}: {control}"


def test_what_was_changed_since_is_listed_and_counted(returned: Draft, owner: Any, as_owner: Client) -> None:
    assert "Waiting for you to make 2 corrections." in page_of(as_owner, returned, "status/").one("main").text
    assert "2 items to complete" in page_of(as_owner, returned).one("main").text
    factories.save_section(returned, "the-company", {"entity.name": "Larkspur"}, by=owner)
    main = page_of(as_owner, returned, "status/").one("main").text
    assert "Waiting for you to make 1 correction." in main
    assert "You have changed this." in main
    assert "Changed “The company”: Name" in main
    services.add_document(returned, returned.parties[0], "Passport", factories.upload(factories.PDF + b"2"), by=owner)
    assert "Waiting for you to send your corrections." in page_of(as_owner, returned, "status/").one("main").text


def test_what_the_service_refused_and_nobody_changed_stands_in_the_way(returned: Draft, as_owner: Client) -> None:
    response = as_owner.post(url(returned, "submission/"), {"declaration": "1"})
    assert response.status_code == 422
    assert factories.again(returned).application.status is State.RETURNED_FOR_CHANGES


def test_a_return_without_queries_says_why_in_the_words_of_who_returned_it(submitted: Draft, as_owner: Client) -> None:
    services.reopen(submitted, reason="Please look at the name again")
    for page in ("", "status/"):
        assert "Please look at the name again." in page_of(as_owner, submitted, page).one("main").text


def test_many_corrections_cost_no_more_queries(
    returned: Draft, owner: Any, as_owner: Client, django_assert_num_queries: Any
) -> None:
    for page in ("", "status/", "check/"):
        as_owner.get(url(returned, page))
        with CaptureQueriesContext(connection) as few:
            as_owner.get(url(returned, page))
        for number in range(3):
            factories.save_section(returned, "the-company", {"entity.name": f"Larkspur {page} {number}"}, by=owner)
        with django_assert_num_queries(len(few)):
            as_owner.get(url(returned, page))
