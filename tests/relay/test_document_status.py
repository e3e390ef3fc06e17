"""The status of documents at the service: read now and then, and shown to their customer with its note."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.relay import timing
from formation_portal.relay.document_status import read_documents_soon, read_due_documents
from formation_portal.relay.models import Delivery, ServiceProfile
from formation_portal.relay.service_profile import current_profile
from formation_portal.relay.worker import drain
from formation_portal.service.models import Document, Entity
from tests import factories
from tests.encrypted_rows import update_each
from tests.markup import Markup
from tests.relay.conftest import read_all_documents, submit, withdraw

from .conftest import row
from .flaky_transport import FlakyTransport, answers, unreachable

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("submitted")]

LIST = "GET entities/documents"
NOTE = "The page with the photo is cut off. Upload the whole page."


@pytest.fixture(autouse=True)
def _many_calls_a_second(settings: Any) -> None:
    settings.RELAY_CALLS_PER_SECOND = 1_000


def document_delivery() -> Delivery:
    return row("document", "ada/Passport")


def says(transport: FlakyTransport, status: str, **more: str) -> None:
    transport.clear()
    record = {"id": document_delivery().remote_id, "document_key": "Passport", "status": status, **more}
    transport.fail_on(LIST, answers(200, {"data": [record], "meta": {"page": 1, "total_pages": 1}}))


def page_of(client: Client, draft: Draft, rest: str) -> Markup:
    page = Markup(client.get(f"/applications/{draft.application.reference}/{rest}").content.decode())
    assert page.faults == []
    return page


def slot(client: Client, draft: Draft) -> str:
    items = page_of(client, draft, "documents/").all("li")
    slots = [item.text for item in items if item.attributes.get("class", "").startswith("slot")]
    return " ".join(next(text for text in slots if "passport.pdf" in text).split())


def test_a_returned_document_stands_on_top(submitted: Draft, transport: FlakyTransport, as_owner: Client) -> None:
    says(transport, "rejected", status_note=NOTE)
    assert read_all_documents() == 1
    draft = factories.again(submitted)
    assert draft.application.status is State.RETURNED_FOR_CHANGES
    assert "Returned to you" in slot(as_owner, draft)
    assert NOTE in slot(as_owner, draft)
    status = page_of(as_owner, draft, "status/")
    first = status.all("section")[0]
    assert first.attributes["aria-labelledby"] == "returned"
    assert f"“{NOTE}”" in first.text
    [link] = [link for link in status.all("a") if link.text == "Upload it again: Passport, Ada Lovelace"]
    address, _, anchor = link.attributes["href"].partition("#")
    target = Markup(as_owner.get(address).content.decode())
    assert anchor in {element.attributes.get("id") for element in target.elements}
    steps = status.one("main").text
    assert "“Passport” of Ada Lovelace was returned to you" in steps
    assert steps.count(NOTE) > 1, "on top, and in the tracker"


def test_what_came_back_stands_in_the_way_until_another_file_takes_its_place(
    submitted: Draft, transport: FlakyTransport, owner: Any, as_owner: Client
) -> None:
    says(transport, "rejected", note=NOTE)
    read_all_documents()
    draft = factories.again(submitted)
    with pytest.raises(services.NotReady) as caught:
        submit(draft)
    assert [(need.code, need.slot, need.text) for need in caught.value.needs] == [("refused", "Passport", NOTE)]
    services.add_document(draft, draft.party("ada"), "Passport", factories.upload(factories.PDF + b"whole"), by=owner)
    assert "Returned" not in slot(as_owner, draft)
    transport.clear()
    Entity.objects.update(status=State.RETURNED_FOR_CHANGES)
    submit(draft)
    drain()
    delivery = document_delivery()
    assert (delivery.state, delivery.document_status, delivery.document_note) == ("done", "", "")
    assert "Received" in slot(as_owner, factories.again(submitted))


def test_an_accepted_document_says_so_and_is_read_no_more(submitted: Draft, as_owner: Client) -> None:
    Document.objects.update(status="approved")
    ServiceProfile.objects.update(failures=4)
    assert read_all_documents() == 1
    assert ServiceProfile.objects.get().failures == 0
    assert "Received" in slot(as_owner, submitted)
    assert "Accepted." in slot(as_owner, submitted)
    assert "1 document accepted" in page_of(as_owner, submitted, "status/").one("main").text
    assert factories.again(submitted).application.status is State.SUBMITTED_FOR_REVIEW
    assert read_all_documents() == 0


def test_what_was_removed_there_or_withdrawn_is_not_asked_for(submitted: Draft) -> None:
    remote_id = document_delivery().remote_id
    update_each(Delivery.objects.filter(kind="document"), remote_id="")
    assert read_all_documents() == 0
    update_each(Delivery.objects.filter(kind="document"), remote_id=remote_id)
    withdraw(submitted)
    assert read_all_documents() == 0


def test_a_case_in_review_is_not_returned(submitted: Draft, transport: FlakyTransport, as_owner: Client) -> None:
    type(submitted.application).objects.update(state=State.IN_REVIEW)
    says(transport, "rejected", status_note=NOTE)
    read_all_documents()
    draft = factories.again(submitted)
    assert draft.application.status is State.IN_REVIEW
    assert NOTE in slot(as_owner, draft)
    assert NOTE in page_of(as_owner, draft, "status/").one("main").text


def test_it_is_read_soon_then_ever_more_rarely_and_never_twice_at_once(transport: FlakyTransport) -> None:
    assert read_due_documents() == 0, "it has only just arrived"
    Delivery.objects.update(updated_at=timezone.now() - timing.READ_SOON)
    assert read_due_documents() == 1
    assert read_due_documents() == 0
    assert transport.endpoints == [LIST]
    now = timezone.now()
    Delivery.objects.update(updated_at=now - timedelta(hours=8), read_next_at=now)
    assert read_due_documents() == 1
    assert abs(document_delivery().read_next_at - now - timedelta(hours=2)) < timedelta(minutes=1)
    now = timezone.now()
    Delivery.objects.update(updated_at=now - timedelta(days=9), read_next_at=now)
    assert read_due_documents() == 1
    assert document_delivery().read_next_at > now + timing.READ_RARELY - timedelta(minutes=1)


def test_what_an_event_tells_of_while_the_list_is_read_is_read_again(transport: FlakyTransport) -> None:
    def after_an_event(transport: FlakyTransport, request: Any, more: Any) -> Any:
        read_documents_soon(row("entity").remote_id)
        return answers(200, {"data": []})(transport, request, more)

    Delivery.objects.update(updated_at=timezone.now() - timing.READ_SOON)
    transport.fail_on(LIST, after_an_event, times=1)
    assert [read_due_documents(), read_due_documents(), read_due_documents()] == [1, 1, 0]


def test_a_document_that_arrives_while_the_list_is_read_is_read_with_it(transport: FlakyTransport) -> None:
    def after_another_arrived(transport: FlakyTransport, request: Any, more: Any) -> Any:
        Delivery.objects.filter(pk=document_delivery().pk).update(read_next_at=None)
        record = {"id": document_delivery().remote_id, "status": "rejected", "note": NOTE}
        return answers(200, {"data": [record]})(transport, request, more)

    transport.fail_on(LIST, after_another_arrived, times=1)
    read_all_documents()
    assert document_delivery().document_note == NOTE


def test_a_list_says_nothing_of_another_applications_documents(submitted: Draft, owner: Any) -> None:
    other = factories.complete_draft(owner)
    drain()
    Delivery.objects.filter(kind="document", application=submitted.application).update(read_next_at=timezone.now())
    assert read_due_documents() == 1
    assert other.application.deliveries.get(kind="document").read_next_at is None


def test_a_service_that_is_away_loses_nothing_and_is_asked_again_when_it_says(transport: FlakyTransport) -> None:
    says(transport, "rejected", status_note=NOTE)
    read_all_documents()
    for failure, hours in ((unreachable, 0), (answers(405), 23), (answers(503, Retry_After="90"), 0)):
        transport.clear()
        transport.fail_on(LIST, failure)
        assert read_all_documents() == 1
        assert document_delivery().document_note == NOTE
        wait = document_delivery().read_next_at - timezone.now()
        assert timedelta(hours=hours) < wait < timedelta(hours=hours + 1)
    assert current_profile().is_paused(timezone.now() + timedelta(seconds=80))


def test_what_belongs_to_nothing_here_says_nothing(transport: FlakyTransport) -> None:
    for data in ([{"id": 7, "status": ["rejected"]}], [{"status": "rejected", "note": "x"}], ["?"]):
        transport.clear()
        transport.fail_on(LIST, answers(200, {"data": data}))
        assert read_all_documents() == 1
        assert (document_delivery().document_status, document_delivery().state) == ("", "done")
