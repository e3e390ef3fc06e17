"""What our reviewer asks stands on the overview and at its place, can be answered there, and the rest is only read."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.models import Query
from formation_portal.reviews.targets import Target
from tests import factories
from tests.encrypted_rows import values_of
from tests.markup import Markup
from tests.portal.pages import page_at, root, sound
from tests.reviews.deciding import ask, check, decide, now

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BIRTH = Target.of_field("ada", "person.date_of_birth")
PASSPORT = Target.of_document("ada", "Passport")
PROPOSED = {"day": "14", "month": "6", "year": "1990"}


def give_back(draft: Draft, agent: Any, *asked: Target) -> Draft:
    """Accepted but for what is asked about, and returned. For the date, another is proposed."""
    draft = factories.again(draft)
    check(draft, *(fact.target for fact in load_checklist(draft) if fact.target not in asked), by=agent)
    for target in asked:
        ask(draft, target, f"Look at {target.name} again", proposal=PROPOSED if target == BIRTH else None, by=agent)
    decide(draft, RETURN, text="Two things are left.", by=agent, version=now(draft))
    return factories.again(draft)


@pytest.fixture
def asked(submitted: Draft, agent: Any) -> Draft:
    """Asked about a date, with the right one proposed, and about a document; the rest is accepted."""
    return give_back(submitted, agent, BIRTH, PASSPORT)


def page_of(client: Client, draft: Draft, page: str = "") -> Markup:
    return page_at(client, f"{root(draft)}{page}")


def text_of(client: Client, draft: Draft, page: str = "") -> str:
    return page_of(client, draft, page).one("main").text


def post_ada(client: Client, draft: Draft, **posted: str) -> Any:
    return client.post(f"{root(draft)}people/ada/", {"version": str(draft.parties[0].version)} | posted)


def number(draft: Draft, target: Target) -> int:
    return Query.objects.get(application=draft.application, kind=target.kind, name=target.name).pk


def test_what_our_reviewer_asks_stands_first_and_leads_to_its_place(asked: Draft, as_owner: Client) -> None:
    markup = page_of(as_owner, asked)
    first = next(one for one in markup.all("section"))
    assert "Two things are left." in first.text
    assert "“Look at person.date_of_birth again”" in first.text
    links = {one.text: one.attributes["href"] for one in markup.all("a") if one.attributes.get("class") == "button"}
    for words in ("Change it: Date of birth, Ada Lovelace", "Upload it again: Passport, Ada Lovelace"):
        address, _, target = links[words].partition("#")
        ids = {one.attributes.get("id") for one in Markup(as_owner.get(address).content.decode()).elements}
        assert target in ids, words


def test_one_press_takes_the_proposed_answer_over(asked: Draft, as_owner: Client) -> None:
    button = next(one for one in page_of(as_owner, asked, "people/ada/").all("button") if one.text.startswith("Use"))
    assert button.text == "Use 14\xa0June\xa01990"
    pressed = {button.attributes["name"]: button.attributes["value"]}
    response = post_ada(as_owner, asked, **pressed)
    assert response["Location"].endswith(f"#note-{number(asked, BIRTH)}")
    assert factories.again(asked).parties[0].raw["person.date_of_birth"] == PROPOSED
    text = text_of(as_owner, asked, "people/ada/")
    assert "You have changed this." in text
    assert "Use 14" not in text


def test_what_was_accepted_is_only_read_on_each_page_and_stays_whatever_an_old_page_posts(
    asked: Draft, as_owner: Client
) -> None:
    markup = page_of(as_owner, asked, "people/ada/")
    typed = {one.attributes.get("name") for one in markup.all("input") if one.attributes.get("type") != "hidden"}
    assert "q:person.date_of_birth:day" in typed
    assert not any("first_name" in str(name) for name in typed)
    field = next(one for one in markup.elements if one.attributes.get("id") == "q:person.first_name-field")
    assert "Ada" in field.text
    assert "Accepted." in field.text
    company = page_of(as_owner, asked, "sections/the-company/")
    named = [one for one in company.all("input") if one.attributes.get("name", "").startswith("q:")]
    assert {one.attributes["type"] for one in named} <= {"hidden"}
    main = page_of(as_owner, asked, "check/")
    changes = [one.text for one in main.all("a") if one.text.startswith("Change ")]
    assert "Change the answer to “Date of birth”" in changes
    assert "Change the answer to “First name”" not in changes
    assert "Change shareholdings" not in changes
    assert "Accepted" in main.one("main").text
    post_ada(as_owner, asked, **{"q:person.first_name": "Augusta"})
    messages = page_of(as_owner, asked, "people/ada/").one("div", id="messages").text
    assert "“First name” was not changed, because our reviewer has accepted it." in messages
    assert factories.again(asked).parties[0].raw["person.first_name"] == "Ada"


def test_an_accepted_document_has_no_button(submitted: Draft, agent: Any, as_owner: Client) -> None:
    draft = give_back(submitted, agent, BIRTH)
    for page in ("documents/", "people/ada/"):
        slot = next(one for one in page_of(as_owner, draft, page).all("li") if "Passport" in one.text)
        assert "Accepted." in slot.text
        assert "Replace" not in slot.text
    response = as_owner.post(
        f"{root(draft)}documents/", {"slot": "ada/Passport", "file": factories.upload(factories.PDF + b"2")}
    )
    assert "Our reviewer has accepted it" in response.content.decode()
    assert len(factories.again(draft).documents) == 1
    removal = f"{root(draft)}documents/{draft.documents[0].pk}/removal/"
    assert "accepted" in as_owner.post(removal, follow=True).content.decode()
    assert len(factories.again(draft).documents) == 1


def test_a_reply_is_kept_with_the_page_and_by_itself(asked: Draft, as_owner: Client) -> None:
    birth, passport = number(asked, BIRTH), number(asked, PASSPORT)
    post_ada(as_owner, asked, **{f"reply:{birth}": "It is right", f"reply-was:{birth}": ""})
    as_owner.post(f"{root(asked)}replies/", {f"reply:{passport}": "There is no other", "next": "status"})
    assert values_of(Query.objects.order_by("pk"), "reply") == ["It is right", "There is no other"]
    assert "There is no other" in text_of(as_owner, asked, "documents/")
    assert "Waiting for you to send your corrections." in text_of(as_owner, asked, "status/")


def test_nobody_writes_over_a_reply_that_they_have_not_seen_or_that_was_sent(
    asked: Draft, owner: Any, as_owner: Client
) -> None:
    passport = number(asked, PASSPORT)
    for words in ("From one window", "From another"):
        as_owner.post(f"{root(asked)}replies/", {f"reply:{passport}": words, f"reply-was:{passport}": ""})
    assert Query.objects.get(pk=passport).reply == "From one window\n\nFrom another"
    as_owner.post(f"{root(asked)}replies/", {f"reply:{passport}": "", f"reply-was:{passport}": ""})
    assert Query.objects.get(pk=passport).reply == "From one window\n\nFrom another"

    services.submit(asked, by=owner)
    as_owner.post(f"{root(asked)}replies/", {f"reply:{passport}": "Too late"})
    assert Query.objects.get(pk=passport).reply == "From one window\n\nFrom another"
    page = post_ada(as_owner, asked, **{f"reply:{passport}": "Too late"})
    assert page.status_code == 409
    assert "Too late" in page.content.decode()


def send_as_it_was(client: Client, page: Markup) -> Any:
    """Send the form of a page that asks once more, without script."""
    form = page.one("form", id="answers")
    held = {one.attributes.get("name"): one.attributes.get("value", "") for one in page.all("input")}
    return client.post(
        form.attributes["action"], {name: held[name] for name in ("declaration", "as_it_was", "drawn") if name in held}
    )


def test_what_was_neither_touched_nor_answered_is_asked_once(asked: Draft, as_owner: Client) -> None:
    markup = sound(as_owner.post(f"{root(asked)}submission/", {"declaration": "1"}), 422)
    assert "You have not dealt with 2 queries" in markup.one("main").text
    assert factories.again(asked).application.status is State.RETURNED_FOR_CHANGES
    assert send_as_it_was(as_owner, markup).status_code == 302
    assert factories.again(asked).application.status is State.SUBMITTED_FOR_REVIEW


def test_a_note_about_the_whole_stands_where_one_corrects_and_sending_it_back_unchanged_is_asked_once(
    submitted: Draft, agent: Any, as_owner: Client
) -> None:
    decide(submitted, RETURN, text="Please say more of the purpose.", by=agent, version=now(submitted))
    returned = factories.again(submitted)
    for page in ("sections/the-company/", "people/ada/", "shares/", "documents/"):
        text = text_of(as_owner, returned, page)
        assert text.count("Please say more of the purpose.") == 1, page
    response = as_owner.post(f"{root(returned)}submission/", {"declaration": "1"})
    assert response.status_code == 422
    assert factories.again(returned).application.status is State.RETURNED_FOR_CHANGES
    markup = Markup(response.content.decode())
    assert "Nothing has changed since it was returned" in markup.one("main").text
    assert send_as_it_was(as_owner, markup).status_code == 302
    assert factories.again(returned).application.status is State.SUBMITTED_FOR_REVIEW
    status = text_of(as_owner, returned, "status/")
    assert "Sent without changes on" in status
    assert "Sent on" not in status


def test_earlier_rounds_stand_on_the_status(asked: Draft, agent: Any, owner: Any, as_owner: Client) -> None:
    as_owner.post(f"{root(asked)}replies/", {f"reply:{number(asked, PASSPORT)}": "There is no other"})
    [ada] = asked.parties
    services.save_party(asked, ada, {"person.date_of_birth": PROPOSED}, version=ada.version, by=owner)
    services.submit(asked, by=owner)
    text = text_of(as_owner, asked, "status/")
    assert "There is no other" in text
    assert "Sent on" in text
    assert "Changed Ada Lovelace: Date of birth" in text
    assert "Resolved" not in text
    sent = factories.again(asked)
    check(sent, PASSPORT, by=agent)
    assert "Resolved" not in text_of(as_owner, asked, "status/")
    decide(sent, RETURN, text="One thing is left", by=agent, version=now(sent))
    assert "Resolved" in text_of(as_owner, asked, "status/")


@pytest.mark.parametrize("page", ["", "status/", "people/ada/"])
def test_more_questions_cost_no_more_queries(
    page: str, asked: Draft, as_owner: Client, django_assert_num_queries: Any
) -> None:
    as_owner.get(f"{root(asked)}{page}")
    with CaptureQueriesContext(connection) as few:
        as_owner.get(f"{root(asked)}{page}")
    first = Query.objects.filter(application=asked.application).order_by("pk")[0]
    for name in ("xy.activity", "xy.capital", "gone"):
        target = {"kind": "field", "holder": "funds", "name": name, "label": name, "text": "Again"}
        more = {"round": 1, "sent_at": first.sent_at, "version": 9, "at": first.at}
        Query.objects.create(application=asked.application, **target, **more)
    with django_assert_num_queries(len(few)):
        as_owner.get(f"{root(asked)}{page}")
