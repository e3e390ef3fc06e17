"""Screening checks on a party's page: recorded without script, refused with all that was typed, and their files."""

import json
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.core.pages.content_policy import ISOLATED_POLICY
from formation_portal.desk.parties.forms import ScreeningForm
from formation_portal.desk.parties.pages import ScreeningRow
from formation_portal.reviews.checks import opened_documents
from formation_portal.reviews.models import ScreeningCheck
from tests import factories
from tests.desk.decision_setup import case_page, path, sound
from tests.desk.review_rounds import add_bob, change_ada, return_it
from tests.documents import sample_files
from tests.markup import Markup


def page(client: Client, draft: Draft) -> Markup:
    return case_page(client, draft, "parties/ada/")


def panel(client: Client, draft: Draft) -> str:
    return page(client, draft).one("section", id="screening").text


def post(client: Client, draft: Draft, **typed: Any) -> Any:
    action = page(client, draft).one("form", enctype="multipart/form-data").attributes["action"]
    back = path(draft, "parties/ada/?document=3#screening")
    values = {"kind": "sanctions", "done_on": "2026-11-20", "outcome": "clear", "text": "", "file": "", "back": back}
    return client.post(action, values | typed)


def test_a_check_is_recorded_shown_and_removed(submitted: Draft, as_agent: Client) -> None:
    assert "None recorded." in panel(as_agent, submitted)
    file = factories.upload(sample_files.pdf(), "world-check.pdf")
    answer = post(as_agent, submitted, outcome="cleared", text="Another Ada, born in 1950", file=file)
    assert answer.url == path(submitted, "parties/ada/?document=3#screening")
    markup = page(as_agent, submitted)
    for words in ("Possible match, cleared", "20 November 2026", "Another Ada, born in 1950", "world-check.pdf"):
        assert words in markup.one("section", id="screening").text
    as_agent.post(markup.one("button", form="screening-removal").attributes["formaction"])
    assert "None recorded." in panel(as_agent, submitted)
    assert ScreeningCheck.objects.get().removed_at is not None


def test_a_file_that_cannot_be_opened_is_refused_and_the_rest_stays_typed(submitted: Draft, as_agent: Client) -> None:
    file = factories.upload(sample_files.without_pages(), "broken.pdf")
    typed = {"outcome": "match", "text": "<b>Same</b> birthday", "kind": "adverse_media"}
    markup = sound(post(as_agent, submitted, file=file, **typed), 422)
    assert "This PDF has no pages" in markup.one("div", id="screening-file_error").text
    assert "screening-file_error" in markup.one("input", name="file").attributes["aria-describedby"]
    assert [one.attributes["value"] for one in markup.all("option") if "selected" in one.attributes] == [
        "adverse_media",
        "match",
    ]
    assert markup.one("textarea", name="text").text.strip() == "<b>Same</b> birthday"
    assert markup.one("input", name="done_on").attributes["value"] == "2026-11-20"
    assert not ScreeningCheck.objects.exists()
    good = factories.upload(sample_files.pdf(), "good.pdf")
    markup = sound(post(as_agent, submitted, kind="", done_on="2999-01-01", file=good))
    links = [one.attributes["href"] for one in markup.all("a") if one.attributes["href"].startswith("#screening-")]
    assert links == ["#screening-kind", "#screening-done_on", "#screening-file"]


@pytest.mark.parametrize(("zone", "is_taken"), [("UTC", False), ("Pacific/Chatham", True)])
def test_today_is_the_day_of_the_time_zone(zone: str, is_taken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 24, 10, 30, tzinfo=UTC))
    typed = {"kind": "sanctions", "done_on": "2026-11-25", "outcome": "clear"}
    with timezone.override(zone):
        form = ScreeningForm(typed)
        assert (list(form.errors), form.is_valid()) == ([] if is_taken else ["done_on"], is_taken)


def test_its_file_goes_to_agents_and_into_the_log(draft: Draft, as_agent: Client, as_owner: Client, owner: Any) -> None:
    factories.fill_in(draft, owner)
    add_bob(draft, owner)
    services.submit(draft, by=owner)
    post(as_agent, draft, file=factories.upload(sample_files.pdf(), "report.pdf"))
    address = path(draft, f"parties/ada/screening/{ScreeningCheck.objects.get().pk}/file/")
    answer = as_agent.get(address)
    assert b"".join(answer.streaming_content) == sample_files.pdf()
    reference = draft.application.reference
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{reference}-sanctions-check.pdf"'
    assert answer.headers["Content-Security-Policy"] == ISOLATED_POLICY
    assert json.loads(Entry.objects.filter(action=AuditAction.LOOK).latest("number").detail)["way"] == "screening file"
    # It is no document of the case, though both have numbers.
    assert opened_documents(draft).accounts == {}
    assert as_owner.get(address).status_code == 403
    assert as_agent.get(address.replace("/ada/", "/bob/")).status_code == 404
    other = services.start(owner=owner, product=factories.product())
    assert as_agent.get(address.replace(reference, other.reference)).status_code == 404


def test_an_outdated_check_says_so_and_words_stay(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    post(as_agent, submitted, done_on=timezone.localdate().isoformat())
    assert "Before the last change" not in panel(as_agent, submitted)
    return_it(submitted, agent)
    change_ada(submitted, owner, {"person.last_name": "King"})
    services.submit(factories.again(submitted), by=owner)
    assert "Before the last change of this person" in panel(as_agent, submitted)
    action = path(submitted, "parties/ada/screening/")
    services.withdraw(factories.again(submitted), by=owner)
    typed = {"kind": "sanctions", "done_on": "2026-11-20", "outcome": "clear", "text": "A long story"}
    answer = sound(as_agent.post(action, typed), 409)
    assert "A long story" in answer.one("textarea", id="typed-1").text


def test_a_missing_check_is_named_there(draft: Draft, as_agent: Client, agent: Any, owner: Any, settings: Any) -> None:
    settings.REQUIRED_SCREENING = ("sanctions",)
    factories.fill_in(draft, owner)
    add_bob(draft, owner)
    services.submit(draft, by=owner)
    factories.accept_everything(draft, agent)
    case = case_page(as_agent, draft)
    assert "Sanctions check missing: 2" in case.one("section", aria_labelledby="people").text
    links = [one.attributes["href"] for one in case.all("a") if one.text == "Ada Lovelace, Sanctions check missing"]
    assert links == [path(draft, "parties/ada/#screening")]
    assert "Sanctions check missing" in panel(as_agent, draft)
    # The way on leads there too, though all facts are accepted.
    assert [one.text for one in page(as_agent, draft).all("a", data_key="n")] == ["Next: Bob Lovelace"]
    post(as_agent, draft)
    assert "missing" not in panel(as_agent, draft)
    assert "Sanctions check missing: 1" in case_page(as_agent, draft).one("section", aria_labelledby="people").text


@pytest.mark.parametrize(
    ("recorded", "done_on", "is_outdated"),
    [
        ("2026-11-21 00:10", "2026-11-21", False),
        ("2026-11-21 00:10", "2026-11-20", True),
        ("2026-11-20 23:30", "2026-11-21", False),
        ("2026-11-20 23:29", "2026-11-21", True),
    ],
)
def test_a_check_is_outdated_by_the_day_of_the_time_zone(recorded: str, done_on: str, is_outdated: bool) -> None:
    """The party was changed on 21 November in Kathmandu, when it was still 20 November in UTC."""
    check = ScreeningCheck(at=datetime.fromisoformat(f"{recorded}+00:00"), done_on=date.fromisoformat(done_on))
    changed_at = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
    party: Any = SimpleNamespace(model=SimpleNamespace(updated_at=changed_at))
    with timezone.override("Asia/Kathmandu"):
        assert ScreeningRow(check, party).is_outdated is is_outdated
