"""The overview: each section's state in words, and what it still needs."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.needs import Need
from formation_portal.portal.applications.overview import Task, TaskList, task_list
from formation_portal.portal.feedback import task_deliveries
from formation_portal.relay.delivery_status import deliveries_of
from tests import factories

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def task(tasks: TaskList, title: str) -> Task:
    [found] = [one for _, _, group in tasks.groups for one in group if one.title == title]
    return found


def test_a_section_counts_what_is_missing_before_and_after_it_is_started(draft: Draft, owner: Any) -> None:
    tasks = task_list(draft)
    assert [group_title for _, group_title, _ in tasks.groups] == ["The company", "People and shares"]
    company = task(tasks, "The company")
    assert (company.state, company.status, company.note) == ("open", "Not started", "2 answers to complete")
    assert tasks.following == company
    factories.save_section(draft, "the-company", {"entity.name": "Larkfield"}, by=owner)
    company = task(task_list(draft), "The company")
    assert (company.state, company.status, company.note) == ("half", "In progress", "1 answer to complete")


def test_a_section_that_is_not_asked_opens_later_and_says_when(draft: Draft, owner: Any) -> None:
    managers = task(task_list(draft), "Managers")
    assert (managers.status, managers.url) == ("Not available yet", "")
    assert managers.note == "Only asked if you answer Trading to “Activity”."
    factories.save_section(draft, "the-company", {"xy.activity": "Trading"}, by=owner)
    managers = task(task_list(draft), "Managers")
    assert managers.url
    assert managers.why == "Asked because you answered Trading to “Activity”"


def test_a_role_is_complete_only_when_the_documents_of_its_people_are(draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    byron = factories.ADA | {"person.last_name": "Byron"}
    services.add_party(draft, "person", ["director"], byron, by=owner)
    services.add_document(draft, draft.parties[0], "Passport", factories.upload(), by=owner)
    directors = task(task_list(draft), "Directors")
    expected = ("half", "1 of 2 complete", "1 document to complete")
    assert (directors.state, directors.status, directors.note) == expected
    services.add_document(draft, draft.parties[1], "Passport", factories.upload(), by=owner)
    directors = task(task_list(draft), "Directors")
    assert (directors.state, directors.status, directors.note) == ("met", "Complete", "2 added")


def test_a_shareholder_without_shares_is_not_complete(draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["shareholder"], factories.ADA, by=owner)
    shareholders = task(task_list(draft), "Shareholders")
    expected = ("half", "0 of 1 complete", "1 shareholding to complete")
    assert (shareholders.state, shareholders.status, shareholders.note) == expected


def test_what_the_service_refused_has_to_be_changed(complete: Draft) -> None:
    refused = Need("refused", "Blurred", "", party_id="ada", slot="Passport")
    tasks = task_list(complete, refused=[refused])
    for title in ("Directors", "Shareholders", "Documents"):
        assert (task(tasks, title).state, task(tasks, title).status) == ("error", "Changes needed")
    assert task(tasks, "The company").status == "Complete"
    refused = Need("refused", "Choose another name", "the-company", field="entity.name")
    company = task(task_list(complete, refused=[refused]), "The company")
    assert (company.state, company.status) == ("error", "Changes needed")


@pytest.mark.parametrize(
    ("kind", "tasks"),
    [
        ("entity", {"the-company"}),
        ("entity_csp", {"the-company", "funds"}),
        ("party", {"directors", "shareholders"}),
        ("party_csp", {"directors", "shareholders"}),
        ("document", {"documents"}),
        ("share_class", {"share-classes"}),
        ("shareholding", {"share-classes"}),
    ],
)
def test_a_delivery_is_told_beside_its_tasks(complete: Draft, kind: str, tasks: set[str]) -> None:
    application = complete.application
    application.deliveries.all().update(state="done")
    for state, words in {
        "held": "With our team",
        "unknown": "Checking delivery",
        "reconciling": "Checking delivery",
        "waiting": "Waiting to retry",
        "refused": "",
        "sending": "",
    }.items():
        assert application.deliveries.filter(kind=kind).update(state=state)
        expected = dict.fromkeys(tasks, words) if words else {}
        assert task_deliveries(complete, deliveries_of(application)) == expected, state
