"""The page of a case: the state of every check, what changed since the last round, and what was said where."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Change
from formation_portal.desk.case import history
from formation_portal.desk.case.pages import CasePage
from formation_portal.desk.case.query_panels import target_id
from formation_portal.desk.models import Case
from formation_portal.reviews.models import Query
from formation_portal.reviews.queries import write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import case_page, hidden_values, path
from tests.desk.review_rounds import add_bob, again, ask_at, change_ada, rename, replace_passport, return_it
from tests.encrypted_rows import update_each
from tests.markup import Element, Markup
from tests.portal.parties.test_owners import submit_unchecked
from tests.portal.share_limits import hold, limited

NAME = Target.of_field("the-company", "entity.name")
COMPANY = Target(TargetKind.SECTION, "the-company")


def section(markup: Markup, heading: str) -> Element:
    return markup.one("section", aria_labelledby=heading)


def test_a_section_is_accepted_where_it_stands_and_taken_back(submitted: Draft, as_agent: Client) -> None:
    before = case_page(as_agent, submitted)
    assert "Not checked" in section(before, "section-the-company").text
    form = {"place": str(COMPANY), "sight": str(current_version(submitted.application))}
    posted = _posted(before, "acceptances/")
    assert {name: posted[name] for name in form} == {name: [value] for name, value in form.items()}
    back = path(submitted, "#section-the-company")
    answer = as_agent.post(path(submitted, "acceptances/"), form | {"back": back})
    assert answer["Location"] == back
    after = case_page(as_agent, submitted)
    assert "Accepted by Mira Okafor" in section(after, "section-the-company").text
    assert _posted(after, "reopenings/")["place"] == [str(COMPANY)]


def _posted(markup: Markup, action: str) -> dict[str, list[str]]:
    form = next(one for one in markup.all("form") if one.attributes.get("action", "").endswith(action))
    return hidden_values(markup, form)


def test_a_query_and_its_reply_stand_at_its_section(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    funds = Target(TargetKind.SECTION, "funds")
    for target in (NAME, funds):
        ask_at(submitted, target, agent, "Which name?")
    markup = case_page(as_agent, submitted)
    there = section(markup, "section-the-company")
    assert "Open query" in there.text
    assert "Which name?" in there.text
    # A second one of the same id would be a fault of the page.
    markup.one("div", id=target_id(funds))
    edit = next(one for one in markup.all("a") if one.text.startswith("Edit") and "#" in one.attributes["href"])
    assert markup.one("div", id=edit.attributes["href"].partition("#")[2]).text.strip().startswith("Drafted by Mira")
    again(submitted, agent, owner)
    query = Query.objects.get(holder="the-company")
    update_each(Query.objects.filter(pk=query.pk), reply="This one", replied_at=query.sent_at)
    there = section(case_page(as_agent, submitted), "section-the-company")
    assert "Answered (submission 1)" in there.text
    assert "This one" in there.text
    services.withdraw(factories.again(submitted), by=owner)
    closed = case_page(as_agent, submitted)
    actions = {form.attributes.get("action", "").removeprefix(path(submitted)) for form in closed.all("form")}
    assert not actions & {"acceptances/", "reopenings/", "remarks/"}
    assert not [link for link in closed.all("a") if link.text.startswith("Ask")]
    assert "Which name?" in section(closed, "section-the-company").text


def _change(draft: Draft) -> None:
    owner = draft.application.owner
    rename(draft, "Larkfield Overseas", owner)
    change_ada(draft, owner, {"person.last_name": "Byron"})
    replace_passport(draft, owner)
    services.save_holdings(factories.again(draft), {("ada", "ordinary"): "20,000"}, by=owner)
    add_bob(draft, owner)


def test_a_later_round_shows_old_beside_new(reviewed: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    again(reviewed, agent, owner, _change)
    everything = case_page(as_agent, reviewed, "?changed=0")
    assert "Holding company" in section(everything, "section-the-company").text
    assert "section-funds" in [one.attributes.get("id") for one in everything.all("h2")]
    assert "Larkfield Holdings" in [one.text for one in everything.all("del")]
    markup = case_page(as_agent, reviewed)
    assert "Show everything" in [one.text for one in markup.all("a")]
    news = "3 answers and 1 document changed, 1 person, company or share class added since this was returned"
    assert news in main_text(markup)
    company = section(markup, "section-the-company")
    assert "Was Larkfield Holdings Now Larkfield Overseas" in " ".join(company.text.split())
    assert "Activity" not in company.text, "it is as it was"
    assert "Changed since accepted" in company.text
    assert "section-funds" not in [one.attributes.get("id") for one in markup.all("h2")]
    assert "1 answer and 1 document changed" in section(markup, "people").text
    assert "New since the last return" in section(markup, "people").text
    assert [one.text for one in markup.all("del") if one.inside("main")] == [
        "Larkfield Holdings",
        "10,000",
        "passport.pdf",
    ]

    def there_and_back(draft: Draft) -> None:
        rename(draft, "Larkfield Holdings", owner)
        rename(factories.again(draft), "Larkfield Overseas", owner)

    again(reviewed, agent, owner, there_and_back)
    markup = case_page(as_agent, reviewed)
    assert "No changes since this was returned" in main_text(markup)
    assert not markup.all("del")


def main_text(markup: Markup) -> str:
    return " ".join(markup.one("main").text.split())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda draft: rename(draft, "Larkfield Overseas", draft.application.owner), "1 answer changed since this"),
        (lambda draft: add_bob(draft, draft.application.owner), "1 person, company or share class added since this"),
    ],
    ids=["changed", "added"],
)
def test_the_line_above_a_case_has_what_was_done_and_nothing_else(
    submitted: Draft, as_agent: Client, agent: Any, owner: Any, change: Callable[[Draft], None], words: str
) -> None:
    again(submitted, agent, owner, change)
    text = main_text(case_page(as_agent, submitted))
    assert f"{words} was returned on " in text
    assert f", {words}" not in text, "nothing is said before it"


def test_questions_about_what_is_gone_are_not_lost(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    add = factories.again(submitted)
    ask_at(submitted, NAME, agent, "About a field that the form has lost")
    return_it(submitted, agent)
    add_bob(factories.again(submitted), owner)
    services.submit(factories.again(add), by=owner)
    ask_at(submitted, Target(TargetKind.PARTY, "bob"), agent, "Who is Bob?")
    bob = factories.again(submitted).party("bob")
    assert bob is not None
    again(submitted, agent, owner, lambda draft: services.remove_party(draft, bob, by=owner))
    Query.objects.filter(holder="the-company").update(name="entity.no_such_field")
    markup = case_page(as_agent, submitted)
    assert "About a field that the form has lost" in section(markup, "section-the-company").text
    assert "Who is Bob?" in section(markup, "lost").text
    assert "Removed since the last return: Bob Lovelace" in section(markup, "people").text


def test_the_rail_names_who_owns_enough_in_the_end(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    rail = " ".join(case_page(as_agent, submitted).one("aside").text.split())
    assert "Owned by Ada Lovelace, 100% Shares" in rail
    ben = services.add_party(limited(owner), "person", ["director"], factories.ADA, by=owner)
    draft = factories.again(open_draft(ben.application))
    # Kestrel has 40%, of which Ben has a quarter, and nobody the rest.
    hold(draft, owner, ("6,000",), ("4,000",))
    kestrel = draft.parties[1]
    services.save_owners(draft, kestrel, {ben.token: "25"}, by=owner)
    Case.objects.create(application=draft.application, state="draft", submitted_at=timezone.now())
    found = CasePage(factories.again(draft), reader=agent, query={})
    assert [(party.token, part) for party, part in found.owners or ()] == [
        (draft.parties[0].token, "60%"),
        (ben.token, "10%"),
    ]
    services.save_owners(draft, kestrel, {ben.token: "24.99"}, by=owner)
    assert len(CasePage(factories.again(draft), reader=agent, query={}).owners or ()) == 1


def test_the_rail_tells_what_happened(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    ask_at(submitted, NAME, agent)
    again(submitted, agent, owner, lambda draft: rename(draft, "Larkfield Overseas", owner))
    as_agent.post(path(submitted, "claim/"))
    rail = " ".join(case_page(as_agent, submitted).one("aside").text.split())
    for words in (
        "Mira Okafor: Claimed the case",
        "Ingrid Solheim: Submitted the application for review",
        "Ingrid Solheim: Changed “The company”",
        "Mira Okafor: Returned it for changes, with 1 query",
    ):
        assert words in rail, words
    # Moves of one moment are lines of their own.
    submitted.application.changes.update(at=datetime(2026, 11, 24, 9, 30, tzinfo=UTC))
    rail = " ".join(case_page(as_agent, submitted).one("aside").text.split())
    assert "Mira Okafor: Returned it for changes, with 1 query" in rail
    assert "Mira Okafor: Started the review" in rail


def test_what_moved_nothing_stays_in_the_history(submitted: Draft, agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "HISTORY_MESSAGES", ["Put it on hold: {text}"])
    monkeypatch.setattr(history, "_NEWEST", 1)
    Change.new(submitted.application, agent, "Put it on hold: {text}", text="We wait for the bank.").save()
    Change.new(submitted.application, agent, "Looked again").save()
    texts = [change.what for change in history.history_of(submitted.application)]
    assert texts[:2] == ["Looked again", "Put it on hold: We wait for the bank."]


def test_changes_of_one_day_of_the_time_zone_are_one_line(submitted: Draft, as_agent: Client, settings: Any) -> None:
    settings.TIME_ZONE = "Pacific/Chatham"
    changes = submitted.application.changes
    changes.update(at=datetime(2026, 11, 24, 9, 30, tzinfo=UTC))
    started = changes.earliest("pk")
    # There midnight was a quarter past ten.
    changes.filter(moved_to="").exclude(pk=started.pk).update(at=datetime(2026, 11, 24, 10, 30, tzinfo=UTC))
    rail = " ".join(case_page(as_agent, submitted).one("aside").text.split())
    assert "25 Nov, 00:15 Ingrid Solheim: Changed answers or documents" in rail
    assert "24 Nov, 23:15 Ingrid Solheim: Started the application" in rail


def test_more_of_everything_costs_no_more_queries(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    address = path(submitted)
    few = _queries(as_agent, address)
    for target in (
        NAME,
        COMPANY,
        WHOLE_APPLICATION,
        Target(TargetKind.PARTY, "ada"),
        Target.of_document("ada", "Passport"),
    ):
        ask_at(submitted, target, agent)
        write_note(factories.again(submitted), target, text="Look", by=agent)
    accept_after = again(submitted, agent, owner, _change)
    factories.accept_everything(accept_after, agent)
    assert _queries(as_agent, address) == few <= 22


def _queries(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)


def test_an_accepted_section_folds_and_is_left_out_by_the_rail(submitted: Draft, as_agent: Client, agent: Any) -> None:
    def next_open_check() -> list[str]:
        links = case_page(as_agent, submitted).all("a")
        return [link.attributes["href"] for link in links if link.text == "Next open check"]

    def is_folded(heading: str) -> bool:
        markup = case_page(as_agent, submitted)
        return any(
            section(markup, heading) in one.ancestors and "accepted" in one.text for one in markup.all("summary")
        )

    assert not is_folded("section-the-company")
    assert next_open_check()[0].endswith("#section-the-company")
    factories.accept_everything(submitted, agent)
    assert next_open_check() == []
    assert is_folded("section-the-company")
    ask_at(submitted, NAME, agent)
    assert not is_folded("section-the-company")
    assert is_folded("section-funds")


def test_each_of_51_people_stands_on_the_case_once_with_their_shares(owner: Any, as_agent: Client) -> None:
    draft = factories.crowded_draft(owner)
    submit_unchecked(draft)
    markup = case_page(as_agent, draft)
    everybody = [f"Zoë {number} Lovelace" for number in range(1, 52)]
    people = section(markup, "people")
    assert [one.text for one in markup.all("a") if people in one.ancestors and "Zoë" in one.text] == everybody
    assert [one.text for one in markup.all("th", scope="row") if "Zoë" in one.text] == everybody


def test_answers_of_one_line_and_of_several_are_shown_as_typed(draft: Draft, owner: Any, as_agent: Client) -> None:
    factories.fill_in(draft, by=owner)
    raw = {
        "entity.name": "Été & Fils",
        "xy.activity": "Trading",
        "xy.goods": "Tea <b>green</b>\nand 'black' & <i>white</i>",
        "charter.purpose": 'To <u>charter</u> "boats" & sail',
    }
    factories.save_section(draft, "the-company", raw, by=owner)
    services.submit(draft, by=owner)
    html = as_agent.get(path(draft)).content.decode()
    assert "<dd>To &lt;u&gt;charter&lt;/u&gt; &quot;boats&quot; &amp; sail " in html
    assert "Tea &lt;b&gt;green&lt;/b&gt;<br>and &#x27;black&#x27; &amp; &lt;i&gt;white&lt;/i&gt;" in html
    assert "Été &amp; Fils" in html
    assert not any(tag in html for tag in ("<b>green", "<i>white", "<u>charter"))


def test_a_document_is_saved_from_its_own_case_alone(submitted: Draft, as_agent: Client, owner: Any) -> None:
    markup = case_page(as_agent, submitted)
    [link] = [one.attributes["href"] for one in markup.all("a") if one.text == "passport.pdf"]
    response = as_agent.get(link)
    assert b"".join(response) == factories.PDF  # type: ignore[arg-type]  # a stream of bytes
    assert response["Content-Disposition"] == f'attachment; filename="{submitted.application.reference}-passport.pdf"'
    assert response["Content-Type"] == "application/pdf"
    assert response["X-Content-Type-Options"] == "nosniff"
    other = factories.new_draft(owner)
    upload = factories.upload(name="plan.pdf")
    document = services.add_document(other, None, "Business plan", upload, by=owner)
    assert as_agent.get(f"{path(submitted)}documents/{document.pk}/").status_code == 404
    assert as_agent.get(f"{path(other)}documents/{document.pk}/").status_code == 404, "it is a draft"
    assert as_agent.get(path(other)).status_code == 404


def test_the_last_digit_of_each_amount_and_holding_is_compared(owner: Any, as_agent: Client, agent: Any) -> None:
    draft = factories.varied_draft(owner)
    services.submit(draft, by=owner)
    factories.accept_everything(draft, agent)
    amounts = {
        "xy.capital": {"amount": "1,234,568", "currency": "JPY"},
        "xy.turnover": {"amount": "89.126", "currency": "KWD"},
    }
    holdings = {("siobhan", "voting"): "1,112", ("siobhan", "preference"): "223", ("zoe", "founders"): "4,445"}

    def change(returned: Draft) -> None:
        factories.save_section(returned, "funds", amounts, by=owner)
        services.save_holdings(returned, holdings, by=owner)

    again(draft, agent, owner, change)
    markup = case_page(as_agent, draft)
    old, new = ([part.text.replace("\xa0", " ") for part in markup.all(tag)] for tag in ("del", "ins"))
    assert list(zip(old, new, strict=True)) == [
        ("JPY 1,234,567", "JPY 1,234,568"),
        ("KWD 89.125", "KWD 89.126"),
        ("1,111", "1,112"),
        ("222", "223"),
        ("4,444", "4,445"),
    ]
