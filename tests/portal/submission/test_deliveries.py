"""Each thing says at its place how far it has come at the service, in the customer's words, never as a failure."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.models import Delivery, Reason
from tests.encrypted_rows import update_each
from tests.portal.pages import page_at, root, section_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# Where something is wrong; a draft speaks of nothing else.
TROUBLE = {
    "waiting": "Waiting to retry",
    "unknown": "Checking delivery",
    "reconciling": "Checking delivery",
    "held": "With our team",
}
WORDS = TROUBLE | {"sending": "Sending", "done": "eceived"}
# Each thing with the pages that show it.
PAGES = [
    ("entity", "sections/the-company/"),
    ("entity_csp", "sections/funds/"),
    ("party", "people/"),
    ("party", "people/ada/"),
    ("share_class", "shares/"),
    ("share_class", "shares/classes/ordinary/"),
    ("shareholding", "shares/"),
    ("document", "documents/"),
    ("document", "people/ada/"),
    *((kind, "check/") for kind in ("entity", "entity_csp", "party", "share_class", "shareholding", "document")),
]
# What is said of each reason.
WHY = {
    Reason.UNSUPPORTED: "can’t send this change",
    Reason.UNCLEAR: "don’t know yet whether it arrived",
    Reason.AMBIGUOUS: "don’t know yet whether it arrived",
    "some_code": "Our team is looking into it",
}


def text_of(client: Client, draft: Draft, page: str) -> str:
    return page_at(client, f"{root(draft)}{page}").one("main").text


def put(kind: str, state: str, reason: str = "") -> None:
    # One call at most is in flight for an application.
    update_each(Delivery.objects.filter(kind=kind), state=state, reason=reason, acknowledged={"answers": {}})


def test_a_draft_says_of_a_thing_what_is_wrong_with_it_and_why_and_never_that_it_failed(
    complete: Draft, as_owner: Client
) -> None:
    for state, words in TROUBLE.items():
        put("party", state)
        assert words in text_of(as_owner, complete, "people/ada/"), state
    for reason, why in WHY.items():
        put("document", "held", reason)
        text = text_of(as_owner, complete, "people/ada/")
        assert "With our team" in text, reason
        assert why in text, reason
    Delivery.objects.update(state="held", reason=Reason.UNCLEAR)
    for page in ("", "check/", "people/ada/"):
        text = text_of(as_owner, complete, page).lower()
        assert not [word for word in ("fail", "resend", "send again") if word in text], page


def test_each_page_that_shows_a_thing_says_what_is_wrong_with_it(complete: Draft, as_owner: Client) -> None:
    for kind, page in PAGES:
        update_each(Delivery.objects, state="done", acknowledged={"answers": {}})
        assert "Checking delivery" not in text_of(as_owner, complete, page)
        put(kind, "unknown")
        assert "Checking delivery" in text_of(as_owner, complete, page), (kind, page)
    update_each(Delivery.objects, state="done", acknowledged={"answers": {}})
    put("entity", "unknown")
    assert "Checking delivery" not in text_of(as_owner, complete, "sections/funds/"), "it speaks of its own answers"


@pytest.mark.parametrize("page", ["people/ada/", "check/"])
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


def test_what_is_gone_here_and_can_not_be_removed_there_is_named(complete: Draft, as_owner: Client) -> None:
    founders = {"answers": {"share_class.name": "Founders"}}
    held = {"state": "held", "reason": Reason.UNSUPPORTED, "wanted": None, "remote_id": "sc_1"}
    update_each(Delivery.objects.filter(kind="share_class"), **held, acknowledged=founders)
    assert "Share class Founders: With our team" in text_of(as_owner, complete, "")


def test_an_answer_to_a_change_never_leaves_sending_behind(complete: Draft, owner: Any, as_owner: Client) -> None:
    """It is drawn before the service has heard of the change, and nothing would ever take the word away."""
    put("entity", "sending")
    services.save_section(complete, complete.schema.entity_sections[0], {}, version=1, by=owner)
    form = {"version": str(complete.version("the-company")), "q:name": "Larkspur"}
    response = as_owner.post(section_url(complete), form, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert "Sending" not in response.content.decode()
