"""The record as JSON: everything that was entered, value by value, for its owner and for agents, and nobody else."""

import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.decisions import INCORPORATE
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision
from formation_portal.ui.printed_record import printed_record
from tests import factories
from tests.portal.pages import root

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def record_of(client: Client, draft: Draft) -> dict[str, Any]:
    return dict(client.get(f"{root(draft)}record.json").json())


def answers_of(part: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The answers of a party, a class or the whole, by name."""
    return {one["name"]: one for section in part["sections"] for one in section["answers"]}


def test_the_record_says_what_it_is_of_and_each_answer_as_typed_and_as_sent(
    complete: Draft, owner: Any, as_owner: Client
) -> None:
    record = record_of(as_owner, complete)
    assert (record["format"], record["version"]) == ("formation-portal/application", 1)
    assert record["reference"] == complete.application.reference
    assert record["product"]["name"] == "Example company"
    named = {"id": factories.SCHEMA["id"], "version": "3", "name": "Example company"}
    assert named.items() <= record["schema"].items()
    assert record["schema"].keys() - named.keys() == {"digest"}
    assert record["state"] == {"code": "draft", "words": complete.application.status.words}
    assert record["times"]["started"] == complete.application.created_at.isoformat()
    assert record["times"]["submitted"] is None
    assert [one["what"] for one in record["history"]][:2] == ["Started the application", "Changed “The company”"]
    assert {one["state"] for one in record["history"]} == {None}
    capital, born = answers_of(record)["xy.capital"], answers_of(record["parties"][0])["person.date_of_birth"]
    assert capital["typed"] == {"amount": "50,000", "currency": "USD"}
    assert capital["value"] == {"amount": 50000, "currency": "USD"}
    assert born["typed"] == {"day": "10", "month": "12", "year": "1985"}
    assert born["value"] == "1985-12-10"
    assert (record["holdings"][0]["typed"], record["holdings"][0]["shares"]) == ("10,000", 10000)
    assert record["documents"][0]["size"] == len(factories.PDF)
    services.submit(complete, by=owner)
    assert record_of(as_owner, complete)["history"][-1]["state"] == "submitted_for_review"


def test_the_entry_in_the_register_stands_in_both_records_once_there_is_one(
    submitted: Draft, agent: Any, as_owner: Client
) -> None:
    assert record_of(as_owner, submitted)["registration"] is None
    who, at = {"proposed_by": agent, "by": agent}, timezone.now()
    by = who | {"proposed_at": at, "at": at, "round": 1, "version": 1}
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


def test_each_time_in_the_printed_record_names_its_zone(submitted: Draft) -> None:
    with timezone.override("Asia/Tokyo"):
        record = printed_record(submitted, made_at=datetime(2026, 11, 24, 10, 30, tzinfo=UTC))
    facts = {row.term: row.value for row in record.entries[0].rows}
    assert facts["Copy made"].replace("\u00a0", " ") == "24 November 2026, 19:30 (Tokyo time)"
    assert re.findall(r"\d\d:\d\d(?! \(Tokyo time\))", str(record.entries)) == []


def test_what_cannot_be_read_stands_as_typed_and_what_is_parked_says_so(
    draft: Draft, owner: Any, as_owner: Client
) -> None:
    factories.save_section(draft, "the-company", factories.COMPANY | {"xy.goods": "Tea"}, by=owner)
    factories.save_section(draft, "funds", {"xy.capital": {"amount": "a lot", "currency": "USD"}}, by=owner)
    answers = answers_of(record_of(as_owner, draft))
    assert (answers["xy.goods"]["asked"], answers["xy.goods"]["value"]) == (False, "Tea")
    assert (answers["xy.capital"]["value"], answers["xy.capital"]["words"]) == (None, "a lot USD")
    assert answers["xy.office"]["given_by_agent"] is True
    assert answers["xy.office"]["words"].startswith("1 Harbour Road")


@pytest.mark.parametrize(("kind", "content_type"), [("json", "application/json"), ("pdf", "application/pdf")])
def test_the_record_is_a_file_of_its_owner_and_once_submitted_of_the_desk(
    complete: Draft, owner: Any, as_owner: Client, as_agent: Client, kind: str, content_type: str
) -> None:
    reference = complete.application.reference
    response = as_owner.get(f"/applications/{reference}/record.{kind}")
    assert response["Content-Type"] == content_type
    assert response["Content-Disposition"] == f'attachment; filename="{reference}.{kind}"'
    desk = f"/desk/{reference}/record.{kind}"
    assert as_agent.get(desk).status_code == 404
    services.submit(complete, by=owner)
    assert as_agent.get(desk)["Content-Type"] == content_type


@pytest.mark.parametrize("page", ["record.json", "record.pdf", "check/", ""])
def test_a_page_about_everything_costs_as_many_queries_for_many_people(
    draft: Draft, owner: Any, as_owner: Client, django_assert_num_queries: Any, page: str
) -> None:
    address = f"{root(draft)}{page}"
    as_owner.get(address)
    with CaptureQueriesContext(connection) as few:
        as_owner.get(address)
    for _ in range(5):
        services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    with django_assert_num_queries(len(few)):
        as_owner.get(address)
