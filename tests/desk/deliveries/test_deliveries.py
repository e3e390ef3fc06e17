"""What agents look after at the service: the list, and one thing with its evidence."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.models import Delivery, Look, Reason
from formation_portal.relay.service_profile import update_profile
from tests import factories
from tests.desk.undecided_deliveries import LIST, page_of, path, post, put, titles
from tests.encrypted_rows import update_each

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_nothing_is_there_while_nothing_is_wrong(complete: Draft, as_agent: Client) -> None:
    assert titles(as_agent) == []
    assert "All caught up" in page_of(as_agent, LIST).one("main").text


def test_the_list_says_in_words_what_each_thing_is(complete: Draft, as_agent: Client) -> None:
    put("document", "held", Reason.UNCLEAR, hours=9)
    put("share_class", "held", Reason.AMBIGUOUS, hours=8)
    put("party", "unknown", Reason.UNCLEAR, hours=7)
    put("party_csp", "refused", hours=6)
    put("shareholding", "waiting", hours=5)
    put("entity", "done", Reason.DUPLICATE, hours=4)
    put("entity_csp", "held", "unsupported", hours=3)
    assert titles(as_agent) == [
        "Passport of Ada Lovelace",
        "Share class Ordinary",
        "Ada Lovelace, person",
        "Answers of Ada Lovelace",
        "10,000 Ordinary of Ada Lovelace",
        "Company",
        "Answers about the company",
    ]
    text = page_of(as_agent, LIST).one("main").text
    assert "Larkfield Holdings" in text
    assert complete.application.reference in text
    assert "records do not show it" in text


@pytest.mark.parametrize("kind", ["entity", "party", "share_class", "shareholding", "document", "party_csp"])
def test_what_the_service_never_had_and_takes_in_no_call_is_named_for_the_provider(
    kind: str, complete: Draft, as_agent: Client
) -> None:
    row = put(kind, "held", "unsupported", acknowledged=None, remote_id="")
    text = page_of(as_agent, path(row)).one("textarea", id="inquiry").text
    assert "Please add it, with: " in text or kind == "document"


def test_what_agents_did_is_named_and_decided_about_wherever_it_is_held(
    submitted: Draft, agent: Any, as_agent: Client
) -> None:
    services.advance(submitted, "begin_review", by=agent)
    services.advance(submitted, "approve", by=agent)
    row = put("status", "held", Reason.STATE_CONFLICT)
    assert titles(as_agent, "?state=undecided") == ["Start of the review"]
    text = page_of(as_agent, path(row)).one("main").text
    assert "The application has a different status at the service" in text
    assert "The formation service has the change" in text
    assert "Status we sent: in_review" in text
    case = page_of(as_agent, f"/desk/{submitted.application.reference}/").one("main").text
    assert "Start of the review: Decision needed" in " ".join(case.split())
    assert "Approval: Saved" in " ".join(case.split())


@pytest.mark.parametrize(
    ("groups", "state", "reason", "look"),
    [
        (["undecided"], "held", Reason.UNCLEAR, "warning"),
        (["undecided"], "held", Reason.AMBIGUOUS, "warning"),
        (["undecided", "duplicates"], "done", Reason.DUPLICATE, "warning"),
        (["unknown"], "unknown", Reason.UNCLEAR, "open"),
        (["unknown"], "reconciling", Reason.UNCLEAR, "open"),
        (["by_hand"], "held", "unsupported", "warning"),
        (["held"], "held", "some_code", "warning"),
        (["refused"], "refused", "taken", "open"),
        (["waiting"], "waiting", "", "open"),
    ],
)
def test_a_row_is_in_its_group(
    complete: Draft, as_agent: Client, groups: list[str], state: str, reason: str, look: str
) -> None:
    put("party", state, reason)
    assert page_of(as_agent, LIST).all("tr")[1].attributes["class"] == f"is-{look}"
    names = ("undecided", "duplicates", "unknown", "by_hand", "held", "refused", "waiting")
    assert [name for name in names if titles(as_agent, f"?state={name}")] == groups
    markup = page_of(as_agent, LIST)
    nav = markup.one("nav", aria_label="Groups")
    views = [one.text for one in markup.all("a") if nav in one.ancestors]
    assert views[0] == "All 1"
    assert sum(one.endswith(" 1") for one in views) == 1 + len(groups)


def test_what_a_dead_worker_left_is_being_checked(complete: Draft, as_agent: Client) -> None:
    row = put("party", "sending", unclear_since=None)
    later = timezone.now() + timedelta(minutes=1)
    Delivery.objects.filter(pk=row.pk).update(lease_until=later)
    assert titles(as_agent) == []
    Delivery.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timedelta(minutes=1))
    assert titles(as_agent, "?state=unknown") == ["Ada Lovelace, person"]


def test_the_list_has_pages_and_a_fixed_number_of_queries(owner: Any, as_agent: Client) -> None:
    costs = []
    for count in (2, 60):
        for _ in range(count):
            services.start(owner=owner, product=factories.product())
        Delivery.objects.filter(kind="entity").update(state="held", reason=Reason.UNCLEAR)
        with CaptureQueriesContext(connection) as captured:
            as_agent.get(LIST)
        costs.append(len(captured))
    assert costs[0] == costs[1]
    assert len(titles(as_agent)) == 50
    assert len(titles(as_agent, "?page=2")) == 12


def test_the_queue_counts_what_is_to_settle(submitted: Draft, as_agent: Client) -> None:
    assert "to decide" not in page_of(as_agent, "/desk/").one("main").text
    put("party", "held", Reason.UNCLEAR)
    put("share_class", "done", Reason.DUPLICATE)
    put("entity", "unknown", Reason.UNCLEAR)
    markup = page_of(as_agent, "/desk/")
    [link] = [one for one in markup.all("a") if "to decide" in one.text]
    assert link.text == "Deliveries: 2 to decide"
    assert link.attributes["href"] == LIST


def test_a_case_leads_to_its_things(submitted: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    markup = page_of(as_agent, f"/desk/{submitted.application.reference}/")
    assert path(row) in [one.attributes.get("href") for one in markup.all("a")]
    assert "1 to decide" in markup.one("main").text


def test_a_thing_shows_its_evidence(complete: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.AMBIGUOUS)
    Look.objects.create(delivery=row, records=3, matches=["pty_1", "pty_2"], conclusion="several may be it")
    markup = page_of(as_agent, path(row))
    text = markup.one("main").text
    assert markup.one("h1").text == "Ada Lovelace, person"
    for word in (
        "Several records",
        "Several possible matches",
        f"req-{row.pk}",
        "k1",
        "status 502",
        "3 records read",
        "pty_1, pty_2",
    ):
        assert word in text, word


def test_evidence_names_the_time_zone_of_its_times(complete: Draft, as_agent: Client, settings: Any) -> None:
    settings.TIME_ZONE = "Pacific/Chatham"
    row = put("party", "held", Reason.AMBIGUOUS)
    looked = Look.objects.create(delivery=row, records=3, matches=[], conclusion="several may be it")
    # There it is 00:15 of the next day.
    Look.objects.filter(pk=looked.pk).update(looked_at=datetime(2026, 11, 24, 10, 30, tzinfo=UTC))
    text = page_of(as_agent, path(row)).one("main").text
    assert "25 November 2026, 00:15:00" in text
    assert text.count("Times in Pacific/Chatham") == 2


def test_the_text_for_the_provider_says_what_they_need_and_names_nobody(complete: Draft, as_agent: Client) -> None:
    Delivery.objects.filter(kind="entity").update(remote_id="ent_7")
    row = put("party", "held", Reason.UNCLEAR)
    provider_message = page_of(as_agent, path(row)).one("textarea", id="inquiry").text
    for word in (
        "POST /api/v1/entities/{id}/parties",
        complete.application.reference,
        "Entity: ent_7",
        f"X-Request-Id req-{row.pk}",
        "Idempotency-Key k1",
        f"{timezone.now():%Y-%m-%d}",
        "what is its ID?",
    ):
        assert word in provider_message, word
    for word in ("Ada", "Lovelace", "example.com", "1985", "Larkfield"):
        assert word not in provider_message, word


def test_what_the_provider_has_to_change_by_hand_is_named_without_its_values(
    complete: Draft, owner: Any, as_agent: Client
) -> None:
    row = put("party", "held", "unsupported")
    update_each(Delivery.objects.filter(pk=row.pk), acknowledged=row.wanted)
    services.save_party(complete, complete.parties[0], {"person.last_name": "King"}, version=1, by=owner)
    Delivery.objects.filter(pk=row.pk).update(state="held", reason="unsupported")
    provider_message = page_of(as_agent, path(row)).one("textarea", id="inquiry").text
    assert "Changed: last_name" in provider_message
    assert "King" not in provider_message
    Delivery.objects.filter(pk=row.pk).update(wanted=None)
    assert "Please remove it." in page_of(as_agent, path(row)).one("textarea", id="inquiry").text


def test_a_draft_in_which_nothing_is_wrong_is_nobodys_to_read(complete: Draft, as_agent: Client) -> None:
    row = Delivery.objects.get(kind="party")
    assert as_agent.get(path(row)).status_code == 404
    assert post(as_agent, row, decision="absent").status_code == 404


@pytest.mark.parametrize("page", ["", "decision/"])
def test_a_number_that_no_column_can_hold_is_not_found(as_agent: Client, page: str) -> None:
    # The number has more digits than the integers of the database.
    address = f"/desk/deliveries/{'9' * 30}/{page}"
    assert as_agent.get(address).status_code == 404
    assert as_agent.post(address).status_code in (404, 405)


def test_a_thing_takes_a_fixed_number_of_queries(
    complete: Draft, as_agent: Client, django_assert_max_num_queries: Any
) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    with django_assert_max_num_queries(11):
        as_agent.get(path(row))


def test_the_list_says_how_the_service_itself_stands(complete: Draft, as_agent: Client) -> None:
    later = timezone.now() + timedelta(minutes=5)
    update_profile(paused_until=later, pause_reason="key", open_until=later, failures=7)
    text = page_of(as_agent, LIST).one("main").text
    assert "rejects our key" in text
    assert "failed to answer 7 times in a row" in text


def test_a_pause_that_is_over_is_not_spoken_of(complete: Draft, as_agent: Client) -> None:
    update_profile(paused_until=timezone.now() - timedelta(seconds=1), pause_reason="asked")
    assert "asked us to wait" not in page_of(as_agent, LIST).one("main").text


def test_an_unknown_service_is_said_to_be_unknown(complete: Draft, as_agent: Client, settings: Any) -> None:
    settings.FORMATION_SERVICE_URL = "https://formation.example"
    assert "never been probed" in page_of(as_agent, LIST).one("main").text
    update_profile(probed_at=timezone.now())
    assert "last probed" in page_of(as_agent, LIST).one("main").text
