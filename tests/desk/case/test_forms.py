"""The forms of a case: facts are accepted, queries drafted and notes written, and nothing typed is lost."""

from typing import Any
from urllib.parse import urlencode

from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.audit import chain
from formation_portal.audit.models import AccessKind, AuditAction
from formation_portal.contract.lifecycle import State
from formation_portal.desk.case_urls import TargetLinks
from formation_portal.desk.queue_state import QueueState
from formation_portal.reviews.checklist import ACCEPTED, OPEN, QUERIED, Fact, load_checklist
from formation_portal.reviews.models import Note, Query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import (
    POINTER,
    case_page,
    documents_of,
    error_links,
    hidden_values,
    page_version,
    path,
    sound,
    state,
)
from tests.desk.review_rounds import accept_at, ask_at
from tests.markup import Markup
from tests.reviews.deciding import let_decisions_take_effect

BIRTH = Target.of_field("ada", "person.date_of_birth")
PASSPORT = Target.of_document("ada", "Passport")
NAME = Target.of_field("ada", "person.last_name")


def fact(draft: Draft, target: Target) -> Fact:
    found = load_checklist(factories.again(draft)).at(target)
    assert found is not None
    return found


def posted(draft: Draft, *targets: Target, **more: Any) -> dict[str, Any]:
    unopened = documents_of(draft)
    return {
        "place": [str(target) for target in targets],
        "sight": str(current_version(draft.application)),
        "unseen": unopened,
    } | more


def test_what_is_ticked_or_left_for_the_button_is_accepted(submitted: Draft, as_agent: Client) -> None:
    address = path(submitted, "acceptances/")
    nothing = as_agent.post(address, {"place": ["nonsense", "a:b:c"], "sight": "1.0"}, follow=True)
    assert "Select what you want to accept." in nothing.content.decode()
    assert not any(one.is_done for one in load_checklist(submitted))
    # The button for all takes what was left, and not what is ticked.
    as_agent.post(address, posted(submitted, BIRTH, left=[str(PASSPORT)], all="1"))
    assert (fact(submitted, PASSPORT).state, fact(submitted, BIRTH).state) == (ACCEPTED, OPEN)
    back = path(submitted, "?document=3#facts")
    answer = as_agent.post(address, posted(submitted, BIRTH, NAME, back=back))
    assert (answer.status_code, answer["Location"]) == (302, back)
    assert fact(submitted, BIRTH).state == fact(submitted, NAME).state == ACCEPTED
    assert "2 facts accepted." in as_agent.get(back).content.decode()


def test_no_form_leads_out_of_its_case(submitted: Draft, as_agent: Client) -> None:
    own = path(submitted)
    for back in (
        f"https://example.com{own}",
        f"//example.com{own}",
        f"{own}../",
        f"{own}%2e%2E/%2e./admin/",
        "/desk/FP-0000-0000-0000/",
        "/applications/",
        f"{own}\n",
        "http://[",
        "javascript:alert(1)",
        "",
    ):
        form = posted(submitted, BIRTH, back=back)
        assert as_agent.post(path(submitted, "acceptances/"), form)["Location"] == own, back


def test_what_others_asked_is_shown_and_no_tick_is_lost(submitted: Draft, as_agent: Client, colleague: Any) -> None:
    posts = posted(submitted, BIRTH, PASSPORT)
    ask_at(submitted, BIRTH, colleague, "The passport says 1984")
    answer = as_agent.post(path(submitted, "acceptances/"), posts)
    assert answer.status_code == 409
    markup = Markup(answer.content.decode())
    assert markup.faults == []
    assert "Dev Ramanathan drafted a query about Date of birth: The passport says 1984" in markup.one("main").text
    kept = {one.attributes["value"]: "checked" in one.attributes for one in markup.all("input", name="place")}
    assert kept == {str(BIRTH): False, str(PASSPORT): True}
    assert fact(submitted, PASSPORT).state == OPEN
    [version] = [one.attributes["value"] for one in markup.all("input", name="sight")]
    as_agent.post(path(submitted, "acceptances/"), posted(submitted, PASSPORT, sight=version))
    assert (fact(submitted, PASSPORT).state, fact(submitted, BIRTH).state) == (ACCEPTED, QUERIED)


def test_a_colleagues_acceptance_is_not_taken_back_unseen(submitted: Draft, as_agent: Client, colleague: Any) -> None:
    posts = posted(submitted, BIRTH)
    accept_at(submitted, BIRTH, by=colleague)
    answer = sound(as_agent.post(path(submitted, "reopenings/"), posts), 409)
    assert "Accepted by Dev Ramanathan" in answer.one("main").text
    assert fact(submitted, BIRTH).state == ACCEPTED
    as_agent.post(path(submitted, "reopenings/"), posted(submitted, BIRTH))
    assert fact(submitted, BIRTH).state == OPEN


def test_a_section_that_is_accepted_leads_on_to_the_next_one(submitted: Draft, as_agent: Client) -> None:
    facts = load_checklist(submitted)
    own = facts.of_holder("")
    assert own is not None
    targets, back = [one.target for one in own.facts], path(submitted)
    assert len(targets) > 2
    leads_to = []
    for target in targets:
        answer = as_agent.post(
            path(submitted, "acceptances/"), posted(submitted, target, back=f"{back}?changed=0#x", goes_on="1")
        )
        leads_to.append(answer["Location"])
    links = TargetLinks(submitted, facts, QueueState())
    onwards = [links.at(target).partition("#")[2] for target in targets[1:]]
    assert leads_to == [*(f"{back}?changed=0#{anchor}" for anchor in onwards), f"{back}parties/ada/"]


def test_a_party_that_is_accepted_leads_on_in_the_same_queue(submitted: Draft, as_agent: Client) -> None:
    case = path(submitted)
    queue = urlencode({"from": "?view=mine"})
    left = [str(fact.target) for holder in load_checklist(submitted).holders if holder.token for fact in holder.facts]
    answer = as_agent.post(
        path(submitted, "acceptances/"),
        posted(submitted, left=left, all="1", back=f"{case}parties/ada/?document=3&{queue}"),
    )
    assert answer["Location"] == f"{case}?{queue}#section-the-company"
    markup = Markup(as_agent.get(answer["Location"]).content.decode())
    assert f"Ada Lovelace: {len(left)} facts accepted." in " ".join(markup.one("div", id="messages").text.split())
    [link] = [one for one in markup.all("a", class_="name") if one.inside("div") and one.text == "Ada Lovelace"][:1]
    assert link.attributes["href"] == f"{case}parties/ada/?{queue}"


def test_the_case_accepts_at_once_what_it_shows_without_query(submitted: Draft, as_agent: Client, agent: Any) -> None:
    own = load_checklist(submitted).holders[0]
    about = Target.of_field("funds", "xy.capital")
    ask_at(submitted, about, agent, "Which bank?")
    markup = case_page(as_agent, submitted)
    left = [one.attributes["value"] for one in markup.all("input", name="left")]
    assert left == [str(fact.target) for fact in own.facts if fact.target.holder != "funds"]
    assert f"({len(left)})" in markup.one("button", name="all").text
    as_agent.post(path(submitted, "acceptances/"), posted(submitted, left=left, all="1"))
    assert "Accept all remaining" not in as_agent.get(path(submitted)).content.decode()


def opens(client: Client, draft: Draft) -> None:
    [number] = documents_of(draft)
    response = client.get(path(draft, f"documents/{number}/"))
    assert response.status_code == 200
    assert b"".join(response.streaming_content)


def accepts(client: Client, draft: Draft, **more: Any) -> Any:
    form = {"place": str(PASSPORT), "sight": page_version(client, draft, "ruling/")}
    return client.post(path(draft, "acceptances/"), form | more)


def once_more(client: Client, markup: Markup, address: str) -> Any:
    return client.post(address, hidden_values(markup, markup.one("section", aria_labelledby="unseen")))


def test_a_document_that_was_not_opened_is_named_and_asked_about(submitted: Draft, as_agent: Client) -> None:
    markup = sound(accepts(as_agent, submitted), 422)
    assert fact(submitted, PASSPORT).state == OPEN
    [link] = [one for one in markup.all("a") if one.text == "Passport"]
    assert link.attributes["href"].startswith(path(submitted, "parties/ada/"))
    assert once_more(as_agent, markup, path(submitted, "acceptances/")).status_code == 302
    assert fact(submitted, PASSPORT).state == ACCEPTED, "there is a way on"


def test_only_who_has_opened_it_accepts_it_at_once(
    submitted: Draft, agent: Any, as_owner: Client, as_agent: Client, as_colleague: Client
) -> None:
    [number] = documents_of(submitted)
    assert "Not opened yet" in case_page(as_agent, submitted).one("main").text
    # Neither the small picture nor what customers see of their own files counts.
    small = {"subject": number, "way": AccessKind.SMALL.value}
    chain.append(AuditAction.LOOK, by=agent, application=submitted.application, **small)
    own = as_owner.get(f"/applications/{submitted.application.reference}/documents/{number}/")
    assert b"".join(own.streaming_content)
    assert accepts(as_agent, submitted).status_code == 422
    opens(as_colleague, submitted)
    response = sound(accepts(as_agent, submitted), 422)
    assert "Opened by Dev Ramanathan" in response.one("main").text
    opens(as_agent, submitted)
    for page in ("", "parties/ada/"):
        assert "Opened by Dev Ramanathan and Mira Okafor" in case_page(as_agent, submitted, page).one("main").text
    assert accepts(as_agent, submitted).status_code == 302
    assert fact(submitted, PASSPORT).state == ACCEPTED


def test_approving_asks_about_what_who_approves_has_not_opened(reviewed: Draft, as_agent: Client) -> None:
    form = POINTER | {"sight": page_version(as_agent, reviewed, "ruling/"), "decision": "approve"}
    response = as_agent.post(path(reviewed, "ruling/"), form)
    assert response.status_code == 422
    assert state(reviewed) == State.IN_REVIEW
    assert once_more(as_agent, sound(response), path(reviewed, "ruling/")).status_code == 302
    let_decisions_take_effect()
    assert state(reviewed) == State.SUBMITTED_TO_CSP


def test_who_confirms_has_to_look_too(reviewed: Draft, as_agent: Client, as_colleague: Client, settings: Any) -> None:
    settings.FOUR_EYES = True
    opens(as_agent, reviewed)
    form = POINTER | {"sight": page_version(as_agent, reviewed, "ruling/"), "decision": "approve"}
    assert as_agent.post(path(reviewed, "ruling/"), form).status_code == 302
    confirmation = path(reviewed, "ruling/confirmation/")
    form = POINTER | {"sight": page_version(as_colleague, reviewed, "ruling/")}
    response = as_colleague.post(confirmation, form)
    assert response.status_code == 422
    assert state(reviewed) == State.IN_REVIEW
    assert "Opened by Mira Okafor" in sound(response).one("main").text
    assert once_more(as_colleague, sound(response), confirmation).status_code == 302
    let_decisions_take_effect()
    assert state(reviewed) == State.SUBMITTED_TO_CSP


def test_a_return_and_a_decline_ask_nothing(submitted: Draft, as_agent: Client) -> None:
    form = {"sight": page_version(as_agent, submitted, "ruling/"), "decision": "return", "text": "Please mend it"}
    assert as_agent.post(path(submitted, "ruling/"), form).status_code == 302


# Queries about a target of a case, and notes for colleagues.


PROPOSED = {"day": "10", "month": "12", "year": "1984"}


def asked(draft: Draft, **more: Any) -> dict[str, Any]:
    return {"place": str(BIRTH), "sight": str(current_version(draft.application)), "back": path(draft, "#at"), **more}


def ask(client: Client, draft: Draft, **more: Any) -> Any:
    return client.post(path(draft, "remarks/"), asked(draft, **more))


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
    markup = sound(as_agent.get(path(submitted, "remarks/"), {"place": str(BIRTH), "back": path(submitted)}))
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
    gone = sound(ask(as_agent, submitted, place=str(Target.of_field("ada", "no.such")), text="Look"), 422)
    assert gone.faults == []
    seen = asked(submitted, text="Which year?")
    services.withdraw(open_draft(submitted.application), by=owner)
    markup = sound(as_agent.post(path(submitted, "remarks/"), seen), 409)
    assert "Withdrew" in markup.one("main").text
    assert markup.one("textarea", id="typed-1").text.strip() == "Which year?"
