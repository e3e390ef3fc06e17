"""A submission that the service takes and does not carry out before it is paid for."""

import logging
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.contract.lifecycle import State
from formation_portal.mail.models import Email
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.entity_status import read_due_entities
from formation_portal.relay.models import EntityReading
from formation_portal.relay.service_profile import update_profile
from formation_portal.relay.worker import drain
from formation_portal.reviews.models import ServiceStatus
from tests import factories
from tests.markup import Markup
from tests.privacy.stages import findings as audit_findings
from tests.relay.conftest import (
    READ,
    SUBMIT,
    approve,
    lets_time_pass,
    read_all_entities,
    row,
    save,
    shows,
    submit,
    withdraw,
)
from tests.relay.flaky_transport import FlakyTransport, answers, lost_before, unreachable

pytestmark = pytest.mark.django_db(databases=["default", "service"])

URL = "https://pay.example/invoices/9?token=s3cret"


def submit_unpaid(draft: Draft, transport: FlakyTransport, **answer: Any) -> None:
    """Submit; the service answers this instead of carrying it out."""
    transport.fail_on(SUBMIT, answers(200, {"data": answer}))
    submit(draft)
    drain()


@pytest.fixture
def unpaid(complete: Draft, transport: FlakyTransport) -> Draft:
    """Submitted and not paid for; nobody can read the entity."""
    submit_unpaid(complete, transport, status="draft", pending_submission=True, payment_url=URL)
    transport.clear()
    transport.fail_on(READ, answers(404))
    return complete


def status_page(client: Client, draft: Draft) -> Markup:
    page = Markup(client.get(f"/applications/{draft.application.reference}/status/").content.decode())
    assert page.faults == []
    return page


def payment_links(page: Markup) -> list[tuple[str, str, str]]:
    links = [one for one in page.all("a") if "pay" in one.attributes.get("href", "").casefold()]
    return [(one.attributes["href"], one.text.strip(), one.attributes["rel"]) for one in links]


def words(draft: Draft) -> str:
    return deliveries_of(factories.again(draft).application).overall.words


def is_due(draft: Draft) -> bool:
    return factories.again(draft).application.payment_due_since is not None


@pytest.mark.parametrize("answer", [{"status": "draft", "pending_submission": True}, {"status": "pending_payment"}])
def test_a_submission_that_is_not_carried_out_is_not_received(
    answer: dict[str, Any], complete: Draft, transport: FlakyTransport, as_owner: Client
) -> None:
    submit_unpaid(complete, transport, **answer)
    assert factories.again(complete).application.status is State.SUBMITTED_FOR_REVIEW
    assert words(complete) == "Waiting for payment"
    text = status_page(as_owner, complete).one("main").text
    assert "Waiting for your payment" in text
    assert "Received" not in text
    assert "Waiting for our reviewer" not in text
    listed = as_owner.get("/applications/").content.decode()
    assert "Waiting for payment" in listed
    assert "Waiting for our reviewer" not in listed
    assert audit_findings() == []


@pytest.mark.parametrize("answer", [{"status": "paid"}, {}])
def test_any_other_answer_is_a_receipt(answer: dict[str, Any], complete: Draft, transport: FlakyTransport) -> None:
    submit_unpaid(complete, transport, **answer)
    assert words(complete) == "Received"


def test_the_page_links_to_where_the_customer_pays_by_the_newest_address_that_it_can_read(
    unpaid: Draft, transport: FlakyTransport, as_owner: Client, settings: Any
) -> None:
    settings.RELAY_CALLS_PER_SECOND = 1_000
    page = status_page(as_owner, unpaid)
    [(url, text, rel)] = payment_links(page)
    assert (url, text) == (URL, "Pay at pay.example")
    assert "noreferrer" in rel
    steps = page.one("ol", class_="timeline entry").text
    assert steps.index("Waiting for payment") < steps.index("Our reviewer checks people and documents")
    assert "Expected" not in steps, "no date follows from what has not begun"
    shows(transport, "awaiting_payment", invoice_url="https://new.example/pay")
    [(url, text, _)] = payment_links(status_page(as_owner, unpaid))
    assert (url, text) == ("https://new.example/pay", "Pay at new.example")
    assert transport.endpoints == [READ]
    for failure in (unreachable, answers(200, "?")):
        transport.clear()
        transport.fail_on(READ, failure)
        assert [link[0] for link in payment_links(status_page(as_owner, unpaid))] == [URL]
        assert transport.endpoints == [READ]
    update_profile(paused_until="2099-01-01T00:00:00Z")
    transport.clear()
    assert [link[0] for link in payment_links(status_page(as_owner, unpaid))] == [URL]
    assert transport.calls == [], "the service is not to be called"


def test_only_https_is_linked(complete: Draft, transport: FlakyTransport, as_owner: Client, settings: Any) -> None:
    submit_unpaid(complete, transport, status="unpaid", payment_url="http://pay.example/9")
    settings.RELAY_CALLS_PER_SECOND = 1_000
    for url in ("http://pay.example/9", "javascript:alert(1)", "https://pay.example@evil.example/"):
        shows(transport, "unpaid", payment_url=url)
        page = status_page(as_owner, complete)
        assert transport.endpoints == [READ]
        assert payment_links(page) == []
        assert "We don’t have a link to the payment page." in page.one("main").text


def test_the_owner_gets_one_e_mail_and_the_address_is_in_no_log(
    complete: Draft, transport: FlakyTransport, as_owner: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        submit_unpaid(complete, transport, status="unpaid", payment_url=URL)
        shows(transport, "unpaid", payment_url=URL)
        read_all_entities()
        status_page(as_owner, complete)
    assert caplog.records
    email = Email.objects.get(kind="decision")
    assert (email.to, email.subject.partition(":")[0]) == ("owner@example.com", "Payment due")
    stored_url = str(EntityReading.objects.values_list("payment_url").get())
    assert "s3cret" not in caplog.text + email.text + stored_url


def test_meanwhile_nobody_edits_or_decides_and_the_customer_may_withdraw_it(
    unpaid: Draft, transport: FlakyTransport, agent: Any, as_owner: Client
) -> None:
    with pytest.raises(services.Closed):
        save(factories.again(unpaid), "the-company", {"entity.name": "Other"})
    with pytest.raises(services.PaymentDue):
        services.advance(factories.again(unpaid), "begin_review", by=agent)
    transport.clear()
    withdraw(factories.again(unpaid))
    drain()
    assert factories.again(unpaid).application.status is State.WITHDRAWN
    assert not is_due(unpaid)
    assert "POST entities/status" in transport.endpoints
    assert "Waiting for payment" not in status_page(as_owner, unpaid).one("main").text


def test_it_is_received_once_its_status_is_another(unpaid: Draft, transport: FlakyTransport, as_owner: Client) -> None:
    shows(transport, "draft")
    read_all_entities()
    assert words(unpaid) == "Waiting for payment", "the same status still"
    shows(transport, "submitted_for_review")
    status_page(as_owner, unpaid)
    assert is_due(unpaid), "a page notes nothing, and has it read at once"
    assert read_due_entities() == 1
    assert not is_due(unpaid)
    assert words(unpaid) == "Received"
    text = status_page(as_owner, unpaid).one("main").text
    assert "Waiting for our reviewer" in text
    assert "payment" not in text.casefold()
    assert EntityReading.objects.get().payment_url == ""
    assert not ServiceStatus.objects.exists()
    assert list(Change.objects.filter(who=None).order_by("pk").values_list("message", flat=True)) == [
        "The formation service is waiting for the payment",
        "The formation service is no longer waiting for the payment",
    ]


def test_it_ends_where_the_service_says_that_nothing_is_pending(unpaid: Draft, transport: FlakyTransport) -> None:
    shows(transport, "draft", pending_submission=False)
    read_all_entities()
    assert not is_due(unpaid)
    assert [one.status for one in ServiceStatus.objects.all()] == ["draft"], "it was not submitted: an agent looks"


def test_a_payment_due_is_found_by_reading_too(complete: Draft, transport: FlakyTransport, as_owner: Client) -> None:
    submit(complete)
    drain()
    shows(transport, "awaiting_payment", payment_url=URL)
    read_all_entities()
    assert is_due(complete)
    assert not ServiceStatus.objects.exists()
    assert [url for url, _, _ in payment_links(status_page(as_owner, complete))] == [URL]


def test_nothing_is_due_once_the_review_has_approved_it(complete: Draft, transport: FlakyTransport, agent: Any) -> None:
    submit(complete)
    approve(complete, agent)
    shows(transport, "awaiting_payment", payment_url=URL)
    read_all_entities()
    assert not is_due(complete)
    assert [one.status for one in ServiceStatus.objects.all()] == ["awaiting_payment"], "an agent looks at it"


def test_a_submission_with_a_lost_answer_may_wait_for_payment(complete: Draft, transport: FlakyTransport) -> None:
    update_profile(capabilities={}, can_edit=True)
    transport.fail_on(SUBMIT, lost_before)
    submit(complete)
    drain()
    assert row("submission").state == "unknown"
    shows(transport, "payment_required", payment_url=URL)
    drain()
    assert row("submission").state == "done"
    assert words(complete) == "Waiting for payment"


def test_a_review_is_told_once_the_payment_is_made(complete: Draft, transport: FlakyTransport, agent: Any) -> None:
    submit(complete)
    services.advance(complete, "begin_review", by=agent)
    transport.fail_on(SUBMIT, answers(200, {"data": {"status": "unpaid"}}))
    drain()
    assert "POST entities/status" not in transport.endpoints
    with pytest.raises(services.PaymentDue):
        services.advance(factories.again(complete), "approve", by=agent)
    shows(transport, "submitted_for_review")
    lets_time_pass()
    read_due_entities()
    assert not is_due(complete)
    drain()
    assert "POST entities/status" in transport.endpoints
