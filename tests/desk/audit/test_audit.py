"""The audit's timeline: by day, narrowed by its address, each entry at an address of its own, all of it as CSV."""

import csv
import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.audit import chain
from formation_portal.audit.models import COLUMNS, Actor, AuditAction, Entry, moment_of
from formation_portal.desk.audit.pages import describe
from tests.desk.decision_setup import sound
from tests.markup import Element, Markup
from tests.words_shown import words_in

ABOUT = Application(pk=700, reference="FP-7K3M-92QX-4TBD")


def page(client: Client, query: str = "") -> Markup:
    return sound(client.get(f"/desk/audit/{query}"))


def entries(markup: Markup) -> list[Element]:
    return [one for one in markup.all("li") if one.attributes.get("id", "").startswith("entry-")]


def numbers(client: Client, query: str = "") -> list[int]:
    return [int(one.attributes["id"].removeprefix("entry-")) for one in entries(page(client, query))]


def look(by: Any, count: int = 1, application: Application = ABOUT) -> None:
    for _ in range(count):
        chain.append(AuditAction.LOOK, by=by, application=application, subject=12, way="page", page=2)


def move_back(number: int, days: int) -> None:
    Entry.objects.filter(pk=number).update(moment=moment_of(datetime.now(UTC) - timedelta(days=days)))


def test_it_says_who_did_what_by_day_and_at_each_entry(submitted: Draft, agent: Any, as_agent: Client) -> None:
    look(agent, application=submitted.application)
    move_back(1, days=3)
    markup = page(as_agent)
    assert len([one for one in markup.all("section") if "day-" in one.attributes.get("aria-labelledby", "")]) == 2
    newest, submitting, *_, started = entries(markup)
    assert "Mira Okafor" in newest.text
    assert "Viewed page 2 of document 12" in newest.text
    assert "Ingrid Solheim" in submitting.text
    assert "Submitted the application for review" in submitting.text
    assert "Started the application" in started.text
    [link] = [one for one in markup.all("a") if one.attributes["href"] == "/desk/audit/1/"]
    assert link.text == "Entry 1"
    number = newest.attributes["id"].removeprefix("entry-")
    markup = page(as_agent, f"{number}/")
    entry = Entry.objects.get(pk=number)
    assert {entry.hash, entry.previous} <= {one.text for one in markup.all("code")}
    assert f"/desk/{submitted.application.reference}/" in [one.attributes["href"] for one in markup.all("a")]
    assert "Hash verified" in markup.one("main").text
    assert as_agent.get("/desk/audit/9999/").status_code == 404


def test_of_a_draft_it_tells_neither_owner_nor_answers(complete: Draft, owner: Any, as_agent: Client) -> None:
    text = page(as_agent).one("main").text
    assert f"Customer {owner.pk}" in text
    assert "Changed the application" in text
    assert words_in(text, ("Ingrid", "Solheim", "Ada", "Lovelace", "Larkfield")) == []


def test_it_is_narrowed_by_its_address(submitted: Draft, agent: Any, owner: Any, as_agent: Client) -> None:
    Entry.objects.all().delete()
    look(agent)
    look(owner, application=submitted.application)
    chain.append(AuditAction.RECORD, by=agent, application=ABOUT, kind="pdf")
    move_back(1, days=3)
    today, before = (f"{timezone.localdate() - timedelta(days=days):%Y-%m-%d}" for days in (0, 3))
    for query, expected in {
        "?reference=fp-7k3m-92qx-4tbd": [3, 1],
        "?kind=look": [2, 1],
        f"?who={owner.pk}": [2],
        "?who=agent": [3, 1],
        f"?first={today}": [3, 2],
        f"?last={before}": [1],
        f"?first={before}&last={today}&kind=record&who={agent.pk}": [3],
        "?kind=nonsense&who=nonsense&first=2026-02-31&last=x&before=x": [3, 2, 1],
        "?reference=%00": [3, 2, 1],
        f"?who={'9' * 18}": [],
    }.items():
        assert numbers(as_agent, query) == expected, query


def test_its_days_and_times_are_those_of_the_named_time_zone(agent: Any, as_agent: Client, settings: Any) -> None:
    settings.TIME_ZONE = "Pacific/Chatham"
    look(agent)
    # There it is 00:15 of the next day.
    Entry.objects.update(moment=moment_of(datetime(2026, 11, 24, 10, 30, tzinfo=UTC)))
    assert numbers(as_agent, "?first=2026-11-25") == numbers(as_agent, "?last=2026-11-25") == [1]
    assert numbers(as_agent, "?last=2026-11-24") == []
    markup = page(as_agent)
    assert markup.one("h2", id="day-2026-11-25").text == "25 November 2026"
    assert entries(markup)[0].text.startswith("00:15:00")
    assert "Times are in Chatham time." in markup.one("main").text
    entry = Markup(as_agent.get("/desk/audit/1/").content.decode())
    assert "25 November 2026, 00:15:00 (Chatham time)" in entry.one("main").text


def test_its_controls_and_links_keep_what_it_is_narrowed_to(agent: Any, as_agent: Client) -> None:
    look(agent, 60)
    query = f"reference={ABOUT.reference}&kind=look&who={agent.pk}&first=2026-01-02&last=2999-01-02"
    markup = page(as_agent, f"?{query}")
    assert markup.one("input", name="reference").attributes["value"] == ABOUT.reference
    assert markup.one("input", name="first").attributes["value"] == "2026-01-02"
    chosen = [option.attributes["value"] for option in markup.all("option") if "selected" in option.attributes]
    assert chosen == ["look", str(agent.pk)]
    hrefs = [one.attributes["href"] for one in (markup.one("a", rel="next"), *markup.all("a", download=""))]
    assert [href.partition("?")[2].removeprefix("before=11&") for href in hrefs] == [query] * 2


def test_pages_follow_one_another_without_a_gap(agent: Any, as_agent: Client) -> None:
    look(agent, 120)
    look(None, 1)
    seen, query = [], "?who=agent"
    while query:
        seen += numbers(as_agent, query)
        older = [one.attributes["href"] for one in page(as_agent, query).all("a", rel="next")]
        query = older[0].removeprefix("/desk/audit/") if older else ""
        look(agent)
    assert seen == list(range(120, 0, -1))


def test_an_altered_entry_is_shown_as_one(agent: Any, as_agent: Client) -> None:
    look(agent, 4)
    Entry.objects.filter(pk=1).update(detail='{"changes":"many","way":[]}')
    Entry.objects.filter(pk=2).update(detail="not JSON", action=AuditAction.DECISION, actor="nobody")
    Entry.objects.filter(pk=3).update(detail='{"did":{"note":7}}', action=AuditAction.REVIEW)
    Entry.objects.filter(pk=4).update(detail='{"did":[]}', action=AuditAction.REVIEW)
    assert numbers(as_agent) == [4, 3, 2, 1]
    for number in (1, 2, 3, 4):
        assert "this entry was altered" in page(as_agent, f"{number}/").one("main").text


def test_the_csv_holds_what_the_timeline_does_and_no_name(submitted: Draft, agent: Any, as_agent: Client) -> None:
    look(agent, 3)
    Entry.objects.filter(pk=1).update(subject="=1+1")
    answer = as_agent.get("/desk/audit/entries.csv")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    head, *rows = csv.reader(StringIO(text))
    assert head == ["at", *COLUMNS]
    assert [int(row[1]) for row in rows] == numbers(as_agent)
    assert rows[-1][head.index("subject")] == "'=1+1"
    assert words_in(text, ("Mira", "Ingrid", "Ada", "example.com")) == []
    assert answer["Cache-Control"] == "no-store"
    narrowed = as_agent.get(f"/desk/audit/entries.csv?who={Actor.AGENT}")
    assert len(b"".join(narrowed.streaming_content).splitlines()) == 4  # type: ignore[attr-defined]


def test_more_entries_cost_no_more_queries(submitted: Draft, agent: Any, owner: Any, as_agent: Client) -> None:
    costs = []
    for by in (agent, owner):
        look(by, 20, application=submitted.application)
        with CaptureQueriesContext(connection) as captured:
            as_agent.get("/desk/audit/")
        costs.append(len(captured))
    assert costs[0] == costs[1] <= 10


# What an entry says beside its columns, and how agents read it.
ACTIONS = [
    (AuditAction.REVIEW, {"did": {"accept": [1, 2, 3], "ask": [4]}}, "Accepted a fact (3); Drafted a query"),
    (AuditAction.REVIEW, {"did": {"take_effect": [7]}}, "Decision took effect"),
    (AuditAction.LOOK, {"subject": "12", "way": "file"}, "Downloaded document 12"),
    (AuditAction.LOOK, {"subject": "12", "way": "screening file"}, "Downloaded the file of screening check 12"),
    (AuditAction.RECORD, {"kind": "pdf"}, "Downloaded the record as PDF"),
    (AuditAction.CLAIM, {"did": "take_over"}, "Took over the case"),
    (AuditAction.RIGHTS, {"key": "portal-2", "did": "make", "scopes": ["read"]}, "Made API key portal-2: read"),
    (AuditAction.RIGHTS, {"key": "portal-2", "did": "revoke"}, "Revoked API key portal-2"),
    (AuditAction.ERASURE, {"subject": "ada", "erased": {}}, "Erased the details of ada"),
    (AuditAction.ERASURE, {"deleted": True, "reason": "retention"}, "Erased the application"),
    (AuditAction.ERASURE, {"subject": "9", "reason": "account"}, "Deleted account 9"),
    (AuditAction.ERASURE, {"reason": "hold"}, "Put the application on hold"),
    (AuditAction.SECOND_FACTOR, {"did": "recovery_code_used"}, "Used a recovery code"),
    (AuditAction.REFUSAL, {"why": "malware"}, "Rejected a file, because it contains malware"),
    (AuditAction.ACCEPTANCE, {"count": 12, "last": 57}, "Accepted 12 entries without a keyed digest, up to entry 57"),
]


def test_every_action_is_told_in_words() -> None:
    entries = [
        Entry(action=action, subject=detail.get("subject", ""), detail=json.dumps(detail), actor=Actor.PORTAL)
        for action, detail, _ in ACTIONS
    ]
    assert [described.what for described in describe(entries)] == [words for _, _, words in ACTIONS]
