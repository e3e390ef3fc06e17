"""Each thing says at its place how far it has come at the service, in the customer's words, never as a failure."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.models import Delivery, Reason
from tests.encrypted_rows import update_each
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

WORDS = {
    "sending": "Sending",
    "waiting": "Waiting to retry",
    "unknown": "Checking delivery",
    "reconciling": "Checking delivery",
    "held": "With our team",
    "done": "eceived",
}


def address(draft: Draft, page: str) -> str:
    party, share_class = draft.parties[0].token, draft.share_classes[0].token
    return f"/applications/{draft.application.reference}/{page}".format(party=party, share_class=share_class)


def text_of(client: Client, draft: Draft, page: str) -> str:
    response = client.get(address(draft, page))
    assert response.status_code == 200
    markup = Markup(response.content.decode())
    assert markup.faults == []
    return " ".join(markup.one("main").text.split())


def put(kind: str, state: str, reason: str = "") -> None:
    # One call at most is in flight for an application.
    update_each(Delivery.objects.filter(kind=kind), state=state, reason=reason, acknowledged={"answers": {}})


# Each thing with the pages that show it.
PAGES = [
    ("entity", "sections/the-company/"),
    ("entity_csp", "sections/funds/"),
    ("party", "people/"),
    ("party", "people/{party}/"),
    ("share_class", "shares/"),
    ("share_class", "shares/classes/{share_class}/"),
    ("shareholding", "shares/"),
    ("document", "documents/"),
    ("document", "people/{party}/"),
    *((kind, "check/") for kind in ("entity", "entity_csp", "party", "share_class", "shareholding", "document")),
]


# Where something is wrong; a draft speaks of nothing else.
TROUBLE = {state: words for state, words in WORDS.items() if state not in ("sending", "done")}


@pytest.mark.parametrize(("state", "words"), TROUBLE.items())
def test_a_draft_says_of_a_thing_what_is_wrong_with_it(
    complete: Draft, as_owner: Client, state: str, words: str
) -> None:
    put("party", state)
    assert words in text_of(as_owner, complete, "people/{party}/")


def test_each_page_that_shows_a_thing_says_what_is_wrong_with_it(complete: Draft, as_owner: Client) -> None:
    for kind, page in PAGES:
        update_each(Delivery.objects, state="done", acknowledged={"answers": {}})
        before = text_of(as_owner, complete, page)
        assert "Checking delivery" not in before
        put(kind, "unknown")
        assert "Checking delivery" in text_of(as_owner, complete, page), (kind, page)


@pytest.mark.parametrize("page", ["people/{party}/", "check/"])
def test_what_was_submitted_says_how_far_it_has_come(submitted: Draft, as_owner: Client, page: str) -> None:
    Delivery.objects.update(state="refused")
    before = text_of(as_owner, submitted, page)
    put("party_csp", "done")
    for state, words in WORDS.items():
        put("party", state)
        assert text_of(as_owner, submitted, page).count(words) > before.count(words), state


def test_nothing_of_a_draft_is_called_sent_or_received(complete: Draft, as_owner: Client) -> None:
    update_each(Delivery.objects, state="done", acknowledged={"answers": {}})
    for state in ("done", "sending"):
        put("party", state)
        for page in ("", *dict.fromkeys(page for _, page in PAGES)):
            text = text_of(as_owner, complete, page)
            assert "eceived" not in text
            assert "Sending" not in text


def test_nothing_is_called_a_failure_and_nobody_is_asked_to_send_again(complete: Draft, as_owner: Client) -> None:
    Delivery.objects.update(state="held", reason=Reason.UNCLEAR)
    for page in ("", "check/", "people/{party}/"):
        text = text_of(as_owner, complete, page).lower()
        for word in ("fail", "resend", "send again"):
            assert word not in text, (page, word)


# What is said of each reason.
WHY = {
    Reason.UNSUPPORTED: "can’t send this change",
    Reason.UNCLEAR: "don’t know yet whether it arrived",
    Reason.AMBIGUOUS: "don’t know yet whether it arrived",
    "some_code": "Our team is looking into it",
}


def test_what_is_with_our_team_says_why(complete: Draft, as_owner: Client) -> None:
    for reason, why in WHY.items():
        put("document", "held", reason)
        text = text_of(as_owner, complete, "people/{party}/")
        assert "With our team" in text, reason
        assert why in text, reason


def test_a_section_speaks_of_its_own_answers_only(complete: Draft, as_owner: Client) -> None:
    put("entity", "held", Reason.UNCLEAR)
    assert "With our team" in text_of(as_owner, complete, "sections/the-company/")
    assert "With our team" not in text_of(as_owner, complete, "sections/funds/")


def test_what_is_gone_here_and_can_not_be_removed_there_is_named(complete: Draft, owner: Any, as_owner: Client) -> None:
    update_each(
        Delivery.objects.filter(kind="share_class"),
        state="held",
        reason=Reason.UNSUPPORTED,
        wanted=None,
        acknowledged={"answers": {"share_class.name": "Founders"}},
        remote_id="sc_1",
    )
    text = text_of(as_owner, complete, "")
    assert "Share class Founders: With our team" in text


def test_an_answer_to_a_change_never_leaves_sending_behind(complete: Draft, owner: Any, as_owner: Client) -> None:
    """It is drawn before the service has heard of the change, and nothing would ever take the word away."""
    put("entity", "sending")
    services.save_section(complete, complete.schema.entity_sections[0], {}, version=1, by=owner)
    version = str(complete.version("the-company"))
    form = {"version": version, "q:name": "Larkspur"}
    response = as_owner.post(address(complete, "sections/the-company/"), form, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert "Sending" not in response.content.decode()
