"""Queries about a target of a case, and notes for colleagues: by plain forms, with nothing typed lost."""

from typing import Any

from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.reviews.models import Note, Query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests.desk.decision_setup import case_page, error_links, hidden_values, path, sound
from tests.markup import Markup

BIRTH = Target.of_field("ada", "person.date_of_birth")
PROPOSED = {"day": "10", "month": "12", "year": "1984"}


def asked(draft: Draft, **more: Any) -> dict[str, Any]:
    return {"place": str(BIRTH), "sight": str(current_version(draft.application)), "back": path(draft, "#at"), **more}


def ask(client: Client, draft: Draft, **more: Any) -> Any:
    return client.post(path(draft, "remarks/"), asked(draft, **more))


def form_page(client: Client, draft: Draft, target: Target = BIRTH) -> Markup:
    answer = client.get(path(draft, "remarks/"), {"place": str(target), "back": path(draft)})
    return sound(answer)


def test_a_question_is_drafted_with_an_answer_to_propose(submitted: Draft, as_agent: Client) -> None:
    parts = {f"p:{BIRTH}:{part}": value for part, value in PROPOSED.items()}
    answer = ask(as_agent, submitted, reason="differs", text="Is it 1984?", note="See the scan", **parts)
    assert (answer.status_code, answer["Location"]) == (302, path(submitted, "#at"))
    query = Query.objects.get()
    assert (query.target, query.text, query.reason, query.proposal) == (BIRTH, "Is it 1984?", "differs", PROPOSED)
    assert [(note.target, note.text) for note in Note.objects.all()] == [(BIRTH, "See the scan")]


def test_what_was_said_at_an_answer_can_be_taken_back(submitted: Draft, as_agent: Client, agent: Any) -> None:
    section = submitted.schema.entity_sections[0]
    place = str(Target.of_field(section.key, section.fields[0].name))
    ask(as_agent, submitted, place=place, reason="differs", text="Is it so?", note="See the register")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(agent)
    markup = Markup(browser.get(path(submitted)).content.decode())
    row = next(one for one in markup.all("dd", class_="asked-at") if "Is it so?" in one.text)
    for form in [one for one in markup.all("form") if row in one.ancestors]:
        assert browser.post(form.attributes["action"], hidden_values(markup, form)).status_code == 302
    assert Query.objects.get().dropped_at is not None
    assert Note.objects.get().removed_at is not None


def test_the_form_holds_what_is_drafted_and_a_proposal_can_be_taken_back(submitted: Draft, as_agent: Client) -> None:
    parts = {f"p:{BIRTH}:{part}": value for part, value in PROPOSED.items()}
    ask(as_agent, submitted, reason="differs", text="Is it 1984?", **parts)
    markup = form_page(as_agent, submitted)
    assert markup.one("textarea", name="text").text.strip() == "Is it 1984?"
    assert markup.one("input", name=f"p:{BIRTH}:year").attributes["value"] == "1984"
    assert markup.one("option", value="differs").attributes.get("selected") is not None
    # Its controls are filled all the same; and a reason brings its words.
    ask(as_agent, submitted, reason="unclear", no_proposal="1", **parts)
    query = Query.objects.get()
    assert (query.proposal, query.text) == (None, "This answer is unclear. Give more detail.")


def test_what_is_wrong_stands_at_its_control(submitted: Draft, as_agent: Client) -> None:
    for typed, control in (
        ({"note": "x" * 2001}, "ask-note"),
        ({"reason": "other"}, "ask-text"),
        ({"reason": "because", "text": "Look"}, "ask-reason"),
        ({"text": "Look", f"p:{BIRTH}:day": "31", f"p:{BIRTH}:month": "2", f"p:{BIRTH}:year": "1984"}, "p:"),
    ):
        markup = sound(ask(as_agent, submitted, **typed), 422)
        [target] = error_links(markup)
        assert target.startswith(control)
        assert [tag for tag in ("input", "select", "textarea") if markup.all(tag, id=target)]
        assert markup.one("textarea", name="text").text.strip() == typed.get("text", "")
        assert markup.one("textarea", name="note").text.strip() == typed.get("note", "")
    assert (Query.objects.count(), Note.objects.count()) == (0, 0)


def test_who_comes_late_keeps_what_was_typed(submitted: Draft, as_agent: Client, as_colleague: Client) -> None:
    late = asked(submitted, text="Which day?", note="Asked before")
    ask(as_agent, submitted, text="Which year?")
    markup = sound(as_colleague.post(path(submitted, "remarks/"), late), 409)
    assert "Mira Okafor drafted a query about Date of birth: Which year?" in markup.one("main").text
    assert markup.one("textarea", name="text").text.strip() == "Which day?"
    assert markup.one("textarea", name="note").text.strip() == "Asked before"
    assert Query.objects.get().text == "Which year?"
    again = late | {name: markup.all("input", name=name)[-1].attributes["value"] for name in ("sight", "back")}
    assert as_colleague.post(path(submitted, "remarks/"), again)["Location"].startswith(path(submitted))
    assert (Query.objects.get().text, Note.objects.get().text) == ("Which day?", "Asked before")


def test_a_draft_is_dropped_once_it_was_seen(submitted: Draft, as_agent: Client, as_colleague: Client) -> None:
    seen = str(current_version(submitted.application))
    ask(as_agent, submitted, text="Which year?")
    there = path(submitted, f"remarks/{Query.objects.get().pk}/removal/")
    markup = sound(as_colleague.post(there, {"sight": seen, "back": path(submitted, "#at")}), 409)
    assert markup.one("input", name="back").attributes["value"] == path(submitted, "#at")
    assert Query.objects.get().dropped_at is None
    assert as_agent.post(there, {"sight": seen, "back": path(submitted, "#at")})["Location"] == path(submitted, "#at")
    assert Query.objects.get().dropped_at is not None


def test_a_note_is_kept_and_removed_by_who_wrote_it(submitted: Draft, as_agent: Client, as_colleague: Client) -> None:
    as_agent.post(path(submitted, "notes/"), {"note": "Known to us", "back": path(submitted)})
    note = Note.objects.get()
    assert (note.target, note.text) == (WHOLE_APPLICATION, "Known to us")
    assert as_agent.post(path(submitted, "notes/"), {"note": " "}).status_code == 422
    mine, theirs = (
        case_page(client, submitted).one("section", aria_labelledby="notes") for client in (as_agent, as_colleague)
    )
    assert ("Remove" in mine.text, "Remove" in theirs.text) == (True, False)
    assert "Known to us" in theirs.text
    there = path(submitted, f"notes/{note.pk}/removal/")
    as_colleague.post(there)
    assert Note.objects.get().removed_at is None
    as_agent.post(there)
    assert Note.objects.get().removed_at is not None


def test_a_wrong_place_is_not_found_and_a_closed_case_keeps_words(
    submitted: Draft, as_agent: Client, owner: Any
) -> None:
    for target in ("", "field", "colour:a:b"):
        assert ask(as_agent, submitted, place=target, text="Look").status_code == 404
    gone = ask(as_agent, submitted, place=str(Target.of_field("ada", "no.such")), text="Look")
    assert gone.status_code == 422
    assert Markup(gone.content.decode()).faults == []
    seen = asked(submitted, text="Which year?")
    services.withdraw(open_draft(submitted.application), by=owner)
    markup = sound(as_agent.post(path(submitted, "remarks/"), seen), 409)
    assert "Withdrew" in markup.one("main").text
    assert markup.one("textarea", id="typed-1").text.strip() == "Which year?"
