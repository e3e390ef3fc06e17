"""The page of a case: the state of every check, what changed since the last round, and what was said where."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.accounts.models import Right
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
from tests.desk.review_rounds import add_bob, again, ask_at, rename, return_it
from tests.encrypted_rows import update_each
from tests.markup import Element, Markup
from tests.portal.share_limits import hold, limited
from tests.portal.shares.test_ownership_read_back import submit_unchecked

pytestmark = pytest.mark.django_db(databases=["default", "service"])

NAME = Target.of_field("the-company", "entity.name")
COMPANY = Target(TargetKind.SECTION, "the-company")


def page(client: Client, draft: Draft, query: str = "") -> Markup:
    markup = Markup(client.get(f"/desk/{draft.application.reference}/{query}").content.decode())
    assert markup.faults == []
    return markup


def section(markup: Markup, heading: str) -> Element:
    [found] = [one for one in markup.all("section") if one.attributes.get("aria-labelledby") == heading]
    return found


def headings(markup: Markup) -> list[str]:
    return [one.text for one in markup.all("h2") if one.inside("main")]


def test_a_section_is_accepted_where_it_stands_and_taken_back(submitted: Draft, as_agent: Client) -> None:
    before = page(as_agent, submitted)
    assert "Not checked" in section(before, "section-the-company").text
    form = {"place": str(COMPANY), "sight": str(current_version(submitted.application))}
    assert form.items() <= _posted(before, "acceptances/").items()
    back = f"/desk/{submitted.application.reference}/#section-the-company"
    answer = as_agent.post(f"/desk/{submitted.application.reference}/acceptances/", form | {"back": back})
    assert answer["Location"] == back
    after = page(as_agent, submitted)
    assert "Accepted by Mira Okafor" in section(after, "section-the-company").text
    assert _posted(after, "reopenings/")["place"] == str(COMPANY)


def _posted(markup: Markup, action: str) -> dict[str, str]:
    """What the first form with this action posts."""
    form = next(one for one in markup.all("form") if one.attributes.get("action", "").endswith(action))
    inputs = [one for one in markup.all("input") if form in one.ancestors]
    return {one.attributes["name"]: one.attributes["value"] for one in inputs}


def test_a_question_at_an_answer_is_one_about_its_section(submitted: Draft, as_agent: Client, agent: Any) -> None:
    ask_at(submitted, NAME, agent, "Which name?")
    markup = page(as_agent, submitted)
    there = section(markup, "section-the-company")
    assert "Open query" in there.text
    assert "Which name?" in there.text
    [edit] = [one for one in markup.all("a") if one.text.startswith("Edit") and "#" in one.attributes["href"]]
    assert markup.one("div", id=edit.attributes["href"].partition("#")[2]).text.strip().startswith("Drafted by Mira")


def test_a_party_says_how_far_its_checks_are_and_leads_to_them(submitted: Draft, as_agent: Client, agent: Any) -> None:
    ask_at(submitted, Target.of_field("ada", "person.date_of_birth"), agent)
    people = section(page(as_agent, submitted), "people")
    assert "0 of 7 checks, 1 query" in people.text
    assert "Director, shareholder" in people.text
    factories.accept_everything(again(submitted, agent, made_by(submitted)), agent)
    assert "7 of 7 checks" in section(page(as_agent, submitted), "people").text
    link = next(one for one in page(as_agent, submitted).all("a") if one.text == "Ada Lovelace")
    assert link.attributes["href"] == f"/desk/{submitted.application.reference}/parties/ada/"


def made_by(draft: Draft) -> Any:
    return draft.application.owner


def _change(draft: Draft) -> None:
    owner = made_by(draft)
    rename(draft, "Larkfield Overseas", owner)
    ada = draft.party("ada")
    assert ada is not None
    services.save_party(draft, ada, {"person.last_name": "Byron"}, version=ada.model.version, by=owner)
    services.add_document(
        draft, draft.party("ada"), "Passport", factories.upload(factories.PDF + b"2", "new.pdf"), by=owner
    )
    services.save_holdings(draft, {("ada", "ordinary"): "20,000"}, by=owner)
    add_bob(draft, owner)


def test_a_later_round_shows_what_changed_with_the_old_beside_it(
    submitted: Draft, as_agent: Client, agent: Any, owner: Any
) -> None:
    factories.accept_everything(submitted, agent)
    again(submitted, agent, owner, _change)
    markup = page(as_agent, submitted)
    assert "3 answers and 1 document changed, 1 person, company or share class added since this was returned" in _head(
        markup
    )
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


def _head(markup: Markup) -> str:
    return " ".join(markup.one("main").text.split())


def test_everything_is_one_press_away(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    factories.accept_everything(submitted, agent)
    again(submitted, agent, owner, _change)
    [link] = [one for one in page(as_agent, submitted).all("a") if one.text == "Show everything"]
    markup = page(as_agent, submitted, link.attributes["href"].partition("/")[2].rpartition("/")[2])
    assert "Funds" in headings(markup)
    assert "Holding company" in section(markup, "section-the-company").text
    assert "Larkfield Holdings" in [one.text for one in markup.all("del")]


def test_a_removal_alone_is_a_change(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    again(submitted, agent, owner, lambda draft: add_bob(draft, owner))
    factories.accept_everything(factories.again(submitted), agent)

    def remove_bob(draft: Draft) -> None:
        bob = draft.party("bob")
        assert bob is not None
        services.remove_party(draft, bob, by=owner)

    again(factories.again(submitted), agent, owner, remove_bob)
    markup = page(as_agent, submitted)
    assert "1 removed since this was returned" in _head(markup)
    assert "Show everything" in [one.text for one in markup.all("a")]


def test_what_was_never_accepted_is_shown_whole(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    again(submitted, agent, owner, lambda draft: rename(draft, "Larkfield Overseas", owner))
    markup = page(as_agent, submitted)
    assert "Funds" in headings(markup)
    assert "Holding company" in section(markup, "section-the-company").text


def test_what_was_changed_back_has_not_changed(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    def there_and_back(draft: Draft) -> None:
        rename(draft, "Larkfield Overseas", owner)
        rename(factories.again(draft), "Larkfield Holdings", owner)

    again(submitted, agent, owner, there_and_back)
    markup = page(as_agent, submitted)
    assert "No changes since this was returned" in _head(markup)
    assert not markup.all("del")


def test_the_first_round_has_nothing_to_compare(submitted: Draft, as_agent: Client) -> None:
    markup = page(as_agent, submitted, "?changed=1")
    assert "since this was returned" not in _head(markup)
    assert "Funds" in headings(markup)


def test_replies_stand_at_their_questions(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    ask_at(submitted, NAME, agent, "Which name?")
    again(submitted, agent, owner)
    query = Query.objects.get()
    update_each(Query.objects.filter(pk=query.pk), reply="This one", replied_at=query.sent_at)
    there = section(page(as_agent, submitted), "section-the-company")
    assert "Answered (submission 1)" in there.text
    assert "This one" in there.text


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
    markup = page(as_agent, submitted)
    assert "About a field that the form has lost" in section(markup, "section-the-company").text
    assert "Who is Bob?" in section(markup, "lost").text
    assert "Removed since the last return: Bob Lovelace" in section(markup, "people").text


def test_a_case_that_is_closed_is_only_read(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    ask_at(submitted, NAME, agent, "Which name?")
    services.withdraw(factories.again(submitted), by=owner)
    markup = page(as_agent, submitted)
    actions = {one.attributes.get("action", "").rpartition("FP-")[2].partition("/")[2] for one in markup.all("form")}
    assert not actions & {"acceptances/", "reopenings/", "remarks/"}
    assert not [one for one in markup.all("a") if one.text.startswith("Ask")]
    assert "Which name?" in section(markup, "section-the-company").text


def test_an_agent_who_may_not_review_only_reads(submitted: Draft, as_agent: Client, agent: Any) -> None:
    ask_at(submitted, NAME, agent, "Which name?")
    agent.set_rights([right for right in Right.values if right != Right.REVIEW])
    markup = page(as_agent, submitted)
    actions = [one.attributes.get("action", "") for one in markup.all("form")]
    assert not [one for one in actions if one.endswith(("acceptances/", "notes/", "removal/"))]
    assert not [one for one in markup.all("a") if one.inside("main") and one.text.startswith(("Ask", "Change"))]
    assert "Which name?" in section(markup, "section-the-company").text


def test_the_way_back_keeps_the_queue_that_one_came_from(submitted: Draft, as_agent: Client) -> None:
    posted = _posted(page(as_agent, submitted, "?from=%3Fview%3Dmine"), "acceptances/")
    assert posted["back"] == f"/desk/{submitted.application.reference}/?from=%3Fview%3Dmine#section-the-company"


def test_notes_are_their_writers_to_remove(submitted: Draft, as_agent: Client, agent: Any, other_customer: Any) -> None:
    write_note(factories.again(submitted), WHOLE_APPLICATION, text="Known to us", by=agent)
    write_note(factories.again(submitted), WHOLE_APPLICATION, text="So they are", by=other_customer)
    whole = section(page(as_agent, submitted), "notes")
    assert "Known to us" in whole.text
    assert "So they are" in whole.text
    assert whole.text.count("Remove") == 1


def test_the_rail_names_whoever_owns_enough_in_the_end(
    submitted: Draft, as_agent: Client, agent: Any, owner: Any
) -> None:
    rail = " ".join(page(as_agent, submitted).one("aside").text.split())
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


def test_who_owns_it_and_the_chart_take_one_query(submitted: Draft, as_agent: Client) -> None:
    with CaptureQueriesContext(connection) as asked:
        as_agent.get(f"/desk/{submitted.application.reference}/")
    assert sum("stake" in one["sql"] for one in asked.captured_queries) == 1


def test_the_rail_tells_what_happened(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    ask_at(submitted, NAME, agent)
    again(submitted, agent, owner, lambda draft: rename(draft, "Larkfield Overseas", owner))
    as_agent.post(f"/desk/{submitted.application.reference}/claim/")
    rail = " ".join(page(as_agent, submitted).one("aside").text.split())
    for words in (
        "Mira Okafor: Claimed the case",
        "Ingrid Solheim: Submitted the application for review",
        "Ingrid Solheim: Changed “The company”",
        "Mira Okafor: Returned it for changes, with 1 query",
    ):
        assert words in rail, words


def test_moves_of_one_moment_are_lines_of_their_own(submitted: Draft, as_agent: Client, agent: Any) -> None:
    ask_at(submitted, NAME, agent)
    return_it(submitted, agent)
    submitted.application.changes.update(at=datetime(2026, 11, 24, 9, 30, tzinfo=UTC))
    rail = " ".join(page(as_agent, submitted).one("aside").text.split())
    assert "Mira Okafor: Returned it for changes, with 1 query" in rail
    assert "Mira Okafor: Started the review" in rail


def test_decisions_that_moved_nothing_are_lines_of_their_own(
    submitted: Draft, as_agent: Client, agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = "Put it on hold: {text}"
    monkeypatch.setattr(history, "HISTORY_MESSAGES", [message])
    for text in ("We wait for the bank.", "And for the notary."):
        Change.new(submitted.application, agent, message, text=text).save()
    rail = " ".join(page(as_agent, submitted).one("aside").text.split())
    assert "Mira Okafor: Put it on hold: We wait for the bank." in rail
    assert "Mira Okafor: Put it on hold: And for the notary." in rail


def test_changes_of_one_day_are_one_line_and_its_day_is_that_of_the_time_zone(
    submitted: Draft, as_agent: Client, settings: Any
) -> None:
    settings.TIME_ZONE = "Pacific/Chatham"
    changes = submitted.application.changes
    changes.update(at=datetime(2026, 11, 24, 9, 30, tzinfo=UTC))
    started = changes.earliest("pk")
    # There midnight was a quarter past ten.
    changes.filter(moved_to="").exclude(pk=started.pk).update(at=datetime(2026, 11, 24, 10, 30, tzinfo=UTC))
    rail = " ".join(page(as_agent, submitted).one("aside").text.split())
    assert "25 Nov, 00:15 Ingrid Solheim: Changed answers or documents" in rail
    assert "24 Nov, 23:15 Ingrid Solheim: Started the application" in rail


def test_a_question_can_be_asked_in_place(submitted: Draft, as_agent: Client) -> None:
    [link] = [one for one in page(as_agent, submitted).all("a") if one.text == "Ask about Name"]
    answer = as_agent.get(link.attributes["href"], headers={"HX-Request": "true"})
    markup = Markup(f"<!doctype html><title>x</title>{answer.content.decode()}")
    assert markup.one("textarea", name="text")
    assert not markup.all("main")
    assert _posted(markup, "remarks/")["place"] == str(NAME)


def test_more_of_everything_costs_no_more_queries(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    address = f"/desk/{submitted.application.reference}/"
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


@pytest.mark.parametrize("title", ["Funds", "Share classes"])
def test_a_query_about_a_section_stands_there_once(submitted: Draft, agent: Any, as_agent: Client, title: str) -> None:
    [asked] = [one for one in submitted.schema.sections if one.title == title]
    target = Target(TargetKind.SECTION, asked.key)
    ask_at(submitted, target, agent, "Is this all of it?")
    # A second one of the same id would be a fault of the page.
    page(as_agent, submitted).one("div", id=target_id(target))


def test_a_section_folds_once_it_is_accepted_and_nothing_is_said_about_it(
    submitted: Draft, as_agent: Client, agent: Any
) -> None:
    def is_folded(heading: str) -> bool:
        markup = page(as_agent, submitted)
        return any(
            section(markup, heading) in one.ancestors and "accepted" in one.text for one in markup.all("summary")
        )

    assert not is_folded("section-the-company")
    factories.accept_everything(submitted, agent)
    assert is_folded("section-the-company")
    ask_at(submitted, NAME, agent)
    assert not is_folded("section-the-company")
    assert is_folded("section-funds")


def test_the_rail_leads_to_the_first_open_check(submitted: Draft, as_agent: Client, agent: Any) -> None:
    [way] = [one for one in page(as_agent, submitted).all("a") if one.text == "Next open check"]
    assert way.attributes["href"].endswith("#section-the-company")
    factories.accept_everything(submitted, agent)
    assert not [one for one in page(as_agent, submitted).all("a") if one.text == "Next open check"]


def test_each_of_51_people_stands_on_the_case_once_with_their_shares(owner: Any, as_agent: Client) -> None:
    draft = factories.crowded_draft(owner)
    submit_unchecked(draft)
    markup = page(as_agent, draft)
    everybody = [f"Zoë {number} Lovelace" for number in range(1, 52)]
    people = section(markup, "people")
    assert [one.text for one in markup.all("a") if people in one.ancestors and "Zoë" in one.text] == everybody
    assert [one.text for one in markup.all("th", scope="row") if "Zoë" in one.text] == everybody


def test_answers_of_one_line_and_of_several_are_shown_as_typed(draft: Draft, owner: Any, as_agent: Client) -> None:
    factories.fill_in(draft, by=owner)
    section_of = draft.schema.section("the-company")
    assert section_of is not None
    raw = {
        "entity.name": "Été & Fils",
        "xy.activity": "Trading",
        "xy.goods": "Tea <b>green</b>\nand 'black' & <i>white</i>",
        "charter.purpose": 'To <u>charter</u> "boats" & sail',
    }
    services.save_section(draft, section_of, raw, version=draft.version("the-company"), by=owner)
    services.submit(draft, by=owner)
    html = as_agent.get(f"/desk/{draft.application.reference}/").content.decode()
    assert "<dd>To &lt;u&gt;charter&lt;/u&gt; &quot;boats&quot; &amp; sail " in html
    assert "Tea &lt;b&gt;green&lt;/b&gt;<br>and &#x27;black&#x27; &amp; &lt;i&gt;white&lt;/i&gt;" in html
    assert "Été &amp; Fils" in html
    assert not any(tag in html for tag in ("<b>green", "<i>white", "<u>charter"))
