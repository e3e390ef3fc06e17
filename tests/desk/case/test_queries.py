"""Queries about a target of a case, and notes for colleagues: by plain forms, with nothing typed lost."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.models import Note, Query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import ReviewVersion, current_version
from tests.markup import Markup
from tests.reviews.deciding import decide

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BIRTH = Target.of_field("ada", "person.date_of_birth")
PROPOSED = {"day": "10", "month": "12", "year": "1984"}


def path(draft: Draft, rest: str = "") -> str:
    return f"/desk/{draft.application.reference}/{rest}"


def asked(draft: Draft, **more: Any) -> dict[str, Any]:
    """What the form at a place posts."""
    return {"place": str(BIRTH), "sight": str(current_version(draft.application)), "back": path(draft, "#at"), **more}


def ask(client: Client, draft: Draft, **more: Any) -> Any:
    return client.post(path(draft, "remarks/"), asked(draft, **more))


def colleague(client: Client, email: str = "dev@example.com") -> Client:
    """Another agent's browser."""
    other = get_user_model().objects.create_user(email, first_name="Dev", last_name="Ramanathan", is_agent=True)
    client.force_login(other)
    return client


def form_page(client: Client, draft: Draft, target: Target = BIRTH) -> Markup:
    answer = client.get(path(draft, "remarks/"), {"place": str(target), "back": path(draft)})
    markup = Markup(answer.content.decode())
    assert markup.faults == []
    return markup


def test_a_question_is_drafted_with_an_answer_to_propose(submitted: Draft, as_agent: Client) -> None:
    parts = {f"p:{BIRTH}:{part}": value for part, value in PROPOSED.items()}
    answer = ask(as_agent, submitted, reason="differs", text="Is it 1984?", note="See the scan", **parts)
    assert (answer.status_code, answer["Location"]) == (302, path(submitted, "#at"))
    query = Query.objects.get()
    assert (query.target, query.text, query.reason, query.proposal) == (BIRTH, "Is it 1984?", "differs", PROPOSED)
    assert [(note.target, note.text) for note in Note.objects.all()] == [(BIRTH, "See the scan")]


def test_what_was_said_at_an_answer_of_a_section_can_be_taken_back_from_the_case(
    submitted: Draft, as_agent: Client, agent: Any
) -> None:
    section = submitted.schema.entity_sections[0]
    place = str(Target.of_field(section.key, section.fields[0].name))
    ask(as_agent, submitted, place=place, reason="differs", text="Is it so?", note="See the register")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(agent)
    markup = Markup(browser.get(path(submitted)).content.decode())
    row = next(one for one in markup.all("dd", class_="asked-at") if "Is it so?" in one.text)
    for form in [one for one in markup.all("form") if row in one.ancestors]:
        hidden = [one for one in markup.all("input", type="hidden") if form in one.ancestors]
        posts = {one.attributes["name"]: one.attributes["value"] for one in hidden}
        assert browser.post(form.attributes["action"], posts).status_code == 302
    assert Query.objects.get().dropped_at is not None
    assert Note.objects.get().removed_at is not None


def test_the_form_holds_what_is_drafted(submitted: Draft, as_agent: Client) -> None:
    ask(as_agent, submitted, reason="differs", text="Is it 1984?", **{f"p:{BIRTH}:year": "1984"} | _day())
    markup = form_page(as_agent, submitted)
    assert markup.one("textarea", name="text").text.strip() == "Is it 1984?"
    assert markup.one("input", name=f"p:{BIRTH}:year").attributes["value"] == "1984"
    assert markup.one("option", value="differs").attributes.get("selected") is not None
    assert "Drafted" in markup.one("main").text


def _day() -> dict[str, str]:
    return {f"p:{BIRTH}:day": "10", f"p:{BIRTH}:month": "12"}


def test_a_reason_brings_its_words(submitted: Draft, as_agent: Client) -> None:
    ask(as_agent, submitted, reason="unclear")
    assert Query.objects.get().text == "This answer is unclear. Give more detail."


def test_a_proposal_can_be_taken_back_though_its_controls_are_filled(submitted: Draft, as_agent: Client) -> None:
    parts = _day() | {f"p:{BIRTH}:year": "1984"}
    ask(as_agent, submitted, text="1984?", **parts)
    ask(as_agent, submitted, text="1984?", no_proposal="1", **parts)
    assert Query.objects.get().proposal is None


def test_a_note_alone_asks_nothing(submitted: Draft, as_agent: Client) -> None:
    ask(as_agent, submitted, note="Known to us")
    assert (Query.objects.count(), Note.objects.get().text) == (0, "Known to us")


@pytest.mark.parametrize(
    ("typed", "control"),
    [
        ({"note": "x" * 2001}, "ask-note"),
        ({"reason": "other"}, "ask-text"),
        ({"reason": "because", "text": "Look"}, "ask-reason"),
        ({"text": "Look", f"p:{BIRTH}:day": "31", f"p:{BIRTH}:month": "2", f"p:{BIRTH}:year": "1984"}, "p:"),
    ],
    ids=["long note", "no words", "no reason", "no day"],
)
def test_what_is_wrong_stands_at_its_control(
    submitted: Draft, as_agent: Client, typed: dict[str, str], control: str
) -> None:
    answer = ask(as_agent, submitted, **typed)
    assert answer.status_code == 422
    markup = Markup(answer.content.decode())
    assert markup.faults == []
    [link] = [one for one in markup.all("a") if any(div.attributes.get("role") == "alert" for div in one.ancestors)]
    target = link.attributes["href"].removeprefix("#")
    assert target.startswith(control)
    assert [tag for tag in ("input", "select", "textarea") if markup.all(tag, id=target)]
    assert markup.one("textarea", name="text").text.strip() == typed.get("text", "")
    assert markup.one("textarea", name="note").text.strip() == typed.get("note", "")
    assert (Query.objects.count(), Note.objects.count()) == (0, 0)


def test_who_comes_late_keeps_what_was_typed_and_may_press_again(submitted: Draft, as_agent: Client) -> None:
    late = asked(submitted, text="Which day?", note="Asked before")
    other = colleague(Client())
    ask(as_agent, submitted, text="Which year?")
    answer = other.post(path(submitted, "remarks/"), late)
    assert answer.status_code == 409
    markup = Markup(answer.content.decode())
    assert markup.faults == []
    assert "Mira Okafor drafted a query about Date of birth: Which year?" in markup.one("main").text
    assert markup.one("textarea", name="text").text.strip() == "Which day?"
    assert markup.one("textarea", name="note").text.strip() == "Asked before"
    assert Query.objects.get().text == "Which year?"
    again = late | {name: markup.all("input", name=name)[-1].attributes["value"] for name in ("sight", "back")}
    assert other.post(path(submitted, "remarks/"), again)["Location"].startswith(path(submitted))
    assert (Query.objects.get().text, Note.objects.get().text) == ("Which day?", "Asked before")


def test_a_closed_case_says_what_happened_and_keeps_the_words(
    submitted: Draft, as_agent: Client, agent: Any, owner: Any
) -> None:
    seen = asked(submitted, text="Which year?")
    services.withdraw(open_draft(submitted.application), by=owner)
    answer = as_agent.post(path(submitted, "remarks/"), seen)
    assert answer.status_code == 409
    markup = Markup(answer.content.decode())
    assert markup.faults == []
    assert "Withdrew" in markup.one("main").text
    assert markup.one("textarea", id="typed-1").text.strip() == "Which year?"


def test_a_draft_is_dropped_by_its_writer_and_late_by_nobody_else(submitted: Draft, as_agent: Client) -> None:
    seen = str(current_version(submitted.application))
    ask(as_agent, submitted, text="Which year?")
    there = path(submitted, f"remarks/{Query.objects.get().pk}/removal/")
    answer = colleague(Client()).post(there, {"sight": seen, "back": path(submitted, "#at")})
    assert answer.status_code == 409
    markup = Markup(answer.content.decode())
    assert markup.faults == []
    assert markup.one("input", name="back").attributes["value"] == path(submitted, "#at")
    assert Query.objects.get().dropped_at is None
    assert as_agent.post(there, {"sight": seen, "back": path(submitted, "#at")})["Location"] == path(submitted, "#at")
    assert Query.objects.get().dropped_at is not None


def test_what_was_sent_is_settled(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    ask(as_agent, submitted, text="Which year?")
    _send_round(submitted, agent, owner)
    there = path(submitted, f"remarks/{Query.objects.get().pk}/settlement/")
    as_agent.post(there, {"sight": str(current_version(Application.objects.get())), "back": ""})
    assert Query.objects.get().settled_at is not None


def _send_round(submitted: Draft, agent: Any, owner: Any) -> None:
    draft = open_draft(Application.objects.get(pk=submitted.application.pk))
    decide(draft, RETURN, by=agent, version=current_version(draft.application))
    services.submit(open_draft(Application.objects.get()), by=owner)


def test_notes_are_kept_and_removed(submitted: Draft, as_agent: Client) -> None:
    as_agent.post(path(submitted, "notes/"), {"note": "Known to us", "back": path(submitted)})
    note = Note.objects.get()
    assert (note.target, note.text) == (WHOLE_APPLICATION, "Known to us")
    assert as_agent.post(path(submitted, "notes/"), {"note": " "}).status_code == 422
    there = path(submitted, f"notes/{note.pk}/removal/")
    colleague(Client()).post(there)
    assert Note.objects.get().removed_at is None
    as_agent.post(there)
    assert Note.objects.get().removed_at is not None


@pytest.mark.parametrize(
    "back",
    [
        "https://example.com/",
        "//example.com/",
        "/desk/",
        "/desk/{}/%2e%2E/%2e./admin/",
        "/desk/{}/\nx",
        "javascript:alert(1)",
    ],
)
def test_a_way_back_that_is_not_of_this_case_leads_to_its_page(submitted: Draft, as_agent: Client, back: str) -> None:
    named = back.format(submitted.application.reference)
    answer = ask(as_agent, submitted, text="Which year?", back=named)
    assert answer["Location"] == path(submitted)


def test_addresses_that_are_only_opened_lead_to_the_case(submitted: Draft, as_agent: Client) -> None:
    for rest in ("remarks/", "remarks/1/removal/", "remarks/1/settlement/", "notes/", "notes/1/removal/"):
        assert as_agent.get(path(submitted, rest))["Location"] == path(submitted), rest


def test_a_place_that_is_none_is_not_found(submitted: Draft, as_agent: Client) -> None:
    for target in ("", "field", "colour:a:b"):
        assert ask(as_agent, submitted, place=target, text="Look").status_code == 404
    gone = ask(as_agent, submitted, place=str(Target.of_field("ada", "no.such")), text="Look")
    assert gone.status_code == 422
    assert Markup(gone.content.decode()).faults == []


def test_an_old_version_is_older_than_anything() -> None:
    assert ReviewVersion.parse("") == ReviewVersion(0, 0)
