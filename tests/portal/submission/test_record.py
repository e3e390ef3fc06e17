"""The record as JSON: everything that was entered, value by value, for its owner and for agents, and nobody else."""

import json
import re
from datetime import date
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.lifecycle import State
from formation_portal.contract.record import validate
from formation_portal.reviews.decisions import INCORPORATE
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision
from formation_portal.ui.printed_record import printed_record
from tests import factories
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import InProcessBrowser
from tests.journeys.conftest import browser, customer
from tests.portal.applications.test_overview import save

__all__ = ["browser", "customer"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# With shares, without shares, and with foundations as parties.
PRODUCTS = ("bvi-limited-company", "wyoming-llc", "caymans-foundation-company", "panama-foundation")


def record_of(client: Client, draft: Draft) -> dict[str, Any]:
    return dict(client.get(f"/applications/{draft.application.reference}/record.json").json())


def answers_of(part: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The answers of a party, a class or the whole, by name."""
    return {one["name"]: one for section in part["sections"] for one in section["answers"]}


def typed_answers(answers: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {name: one["typed"] for name, one in answers.items() if not one["given_by_agent"]}


def without_token(response: Any) -> str:
    """A page, but for its nonce and token, the reference that was asked for, and when its session ends."""
    page = re.sub(r'(name="csrfmiddlewaretoken" value=)"[^"]*"', r"\1", response.content.decode())
    page = re.sub(r'<p id="session-clock".*?</p>|nonce=[\w-]{22}', "", page, flags=re.DOTALL)
    return re.sub(r"FP(-[0-9A-Z]{4}){3}", "", page)


@pytest.mark.parametrize("slug", [PRODUCTS[0], *(pytest.param(one, marks=pytest.mark.long) for one in PRODUCTS[1:])])
def test_every_answer_stands_in_the_record_with_label_words_and_value(slug: str, browser: InProcessBrowser) -> None:
    generic_client = GenericClient(browser, is_thorough=True)
    generic_client.submit(generic_client.start(browser.get(f"/products/{slug}/")))
    draft = open_draft(Application.objects.get())
    record = record_of(browser.client, draft)

    holders = [(answers_of(record), draft.schema.entity_fields, draft.entity_raw)]
    for row, party in zip(draft.parties, record["parties"], strict=True):
        assert (party["id"], party["kind"], party["label"]) == (row.token, row.kind, row.label)
        assert [one["role"] for one in party["roles"]] == list(row.roles)
        holders.append((answers_of(party), draft.schema.fields_of(row.kind, row.roles), dict(row.raw)))
    for share_class, listed in zip(draft.share_classes, record["share_classes"], strict=True):
        holders.append((answers_of(listed), draft.schema.share_class_fields, dict(share_class.raw)))
    for answers, fields, raw in holders:
        values = validate(fields, raw).values
        assert typed_answers(answers) == {name: one for name, one in raw.items() if not is_blank(one)}
        for spec in fields:
            if spec.name in values:
                one = answers[spec.name]
                assert (one["label"], one["type"]) == (spec.label, spec.field_type)
                assert one["value"] == json.loads(json.dumps(spec.payload(values[spec.name])))
                assert spec.refers_to_share_class or one["words"] == spec.display(values[spec.name])


def test_the_record_says_what_it_is_of(complete: Draft, as_owner: Client) -> None:
    record = record_of(as_owner, complete)
    assert (record["format"], record["version"]) == ("formation-portal/application", 1)
    assert record["reference"] == complete.application.reference
    assert record["product"]["name"] == "Example company"
    assert record["schema"] | {"digest": ""} == {
        "id": factories.SCHEMA["id"],
        "version": "3",
        "name": "Example company",
        "digest": "",
    }
    assert record["state"] == {"code": "draft", "words": complete.application.status.words}
    assert record["times"]["started"] == complete.application.created_at.isoformat()
    assert record["times"]["submitted"] is None
    assert [one["what"] for one in record["history"]][:2] == ["Started the application", "Changed “The company”"]
    assert {one["state"] for one in record["history"]} == {None}


def test_the_history_says_when_it_moved(submitted: Draft, as_owner: Client) -> None:
    assert record_of(as_owner, submitted)["history"][-1]["state"] == "submitted_for_review"


def test_the_entry_in_the_register_stands_in_both_records_once_there_is_one(submitted: Draft, as_owner: Client) -> None:
    assert record_of(as_owner, submitted)["registration"] is None
    agent = get_user_model().objects.create_user("registrar@example.com", is_agent=True)
    by = {
        "proposed_by": agent,
        "proposed_at": timezone.now(),
        "round": 1,
        "by": agent,
        "version": 1,
        "at": timezone.now(),
    }
    entry = {"register_number": "HRB 1234", "registered_on": date(2026, 11, 20)}
    ReviewDecision.objects.create(
        application=submitted.application, kind=INCORPORATE, outcome=DecisionOutcome.DONE, **by, **entry
    )
    assert record_of(as_owner, submitted)["registration"] is None, "not before it has moved"
    Application.objects.update(state=State.INCORPORATED)
    assert record_of(as_owner, submitted)["registration"] == {"number": "HRB 1234", "date": "2026-11-20"}
    draft = open_draft(Application.objects.get())
    facts = {row.term: row.value for row in next(iter(printed_record(draft, made_at=timezone.now()).entries)).rows}
    assert facts["Registration number"] == "HRB 1234"
    assert facts["Registered on"].split() == ["20", "November", "2026"]


def test_shares_and_documents_are_named_by_whom_they_belong_to(complete: Draft, as_owner: Client) -> None:
    record, [document] = record_of(as_owner, complete), complete.documents
    [ada], [ordinary] = record["parties"], record["share_classes"]
    [holding], [listed] = record["holdings"], record["documents"]
    assert (holding["party"], holding["share_class"]) == (ada["id"], ordinary["id"])
    assert (holding["party_label"], holding["shares"], holding["typed"]) == ("Ada Lovelace", 10000, "10,000")
    assert (listed["party"], listed["slot"], listed["name"]) == (ada["id"], "Passport", "passport.pdf")
    assert (listed["sha256"], listed["size"]) == (document.sha256, len(factories.PDF))


def test_what_cannot_be_read_stands_as_typed_and_what_is_parked_says_so(
    draft: Draft, owner: Any, as_owner: Client
) -> None:
    save(draft, "the-company", factories.COMPANY | {"xy.goods": "Tea"}, owner)
    save(draft, "funds", {"xy.capital": {"amount": "a lot", "currency": "USD"}}, owner)
    answers = answers_of(record_of(as_owner, draft))
    assert (answers["xy.goods"]["asked"], answers["xy.goods"]["value"]) == (False, "Tea")
    assert (answers["xy.capital"]["value"], answers["xy.capital"]["words"]) == (None, "a lot USD")
    assert answers["xy.office"]["given_by_agent"] is True
    assert answers["xy.office"]["words"].startswith("1 Harbour Road")


def test_the_record_is_a_file_that_nobody_keeps_on_the_way(draft: Draft, as_owner: Client) -> None:
    reference = draft.application.reference
    response = as_owner.get(f"/applications/{reference}/record.json")
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == f'attachment; filename="{reference}.json"'
    assert response["Cache-Control"] == "no-store"


def test_overview_status_and_desk_lead_to_it(
    submitted: Draft, draft: Draft, as_owner: Client, as_agent: Client
) -> None:
    reference = submitted.application.reference
    link = f'href="/applications/{reference}/record.json"'
    assert link in as_owner.get(f"/applications/{reference}/status/").content.decode()
    other = services.start(owner=submitted.application.owner, product=factories.product())
    assert "/record.json" in as_owner.get(f"/applications/{other.reference}/").content.decode()
    assert f'href="/desk/{reference}/record.json"' in as_agent.get(f"/desk/{reference}/").content.decode()


def test_it_is_its_owners_and_once_submitted_the_desks(
    complete: Draft, owner: Any, as_owner: Client, as_other_customer: Client, as_agent: Client, as_nobody: Client
) -> None:
    reference = complete.application.reference
    address, desk = f"/applications/{reference}/record.json", f"/desk/{reference}/record.json"
    absent = as_other_customer.get("/applications/FP-0000-0000-0000/record.json")
    assert (as_other_customer.get(address).status_code, as_agent.get(address).status_code) == (404, 404)
    assert without_token(as_other_customer.get(address)) == without_token(absent)
    assert as_nobody.get(address)["Location"].startswith("/accounts/login/")
    assert as_agent.get(desk).status_code == 404
    services.submit(complete, by=owner)
    assert as_agent.get(desk).json() == as_owner.get(address).json()
    assert as_owner.get(desk).status_code == 403


def test_the_record_costs_as_many_queries_for_many_people(
    draft: Draft, owner: Any, as_owner: Client, django_assert_num_queries: Any
) -> None:
    address = f"/applications/{draft.application.reference}/record.json"
    with CaptureQueriesContext(connection) as few:
        as_owner.get(address)
    for _ in range(5):
        services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    with django_assert_num_queries(len(few)):
        as_owner.get(address)
