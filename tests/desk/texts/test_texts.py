"""Shared texts: kept by agents, and inserted into queries and decisions with their placeholders filled in."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.desk.models import SharedText
from formation_portal.reviews.models import Query
from formation_portal.reviews.queries import write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from tests import factories
from tests.desk.decision_setup import path, sound, state
from tests.markup import Markup

BIRTH = Target.of_field("ada", "person.date_of_birth")
SECTION = Target.of_field("the-company", "entity.name")
TEXTS = "/desk/texts/"


def shared(agent: Any, title: str, text: str) -> SharedText:
    return SharedText.objects.create(title=title, text=text, by=agent, at=timezone.now())


def add(client: Client, **typed: str) -> Any:
    return client.post(TEXTS, {"title": "Certified copy", "text": "Dear {customer}, certify it."} | typed)


def offered(markup: Markup) -> list[str]:
    return [
        one.text
        for one in markup.all("option")
        if any(s.attributes.get("name") == "shared_text" for s in one.ancestors)
    ]


def query_page(client: Client, draft: Draft, target: Target) -> Markup:
    return sound(client.get(path(draft, "remarks/"), {"place": str(target)}))


@pytest.fixture
def named(submitted: Draft, owner: Any, agent: Any) -> Draft:
    for person, first in ((owner, "{agent}"), (agent, "Mira")):
        person.first_name, person.last_name = first, "Solheim"
        person.save()
    return factories.again(submitted)


def test_a_text_is_added_changed_and_removed_for_all(as_agent: Client, as_colleague: Client) -> None:
    assert add(as_agent).url == TEXTS
    kept = SharedText.objects.get()
    page = sound(as_colleague.get(TEXTS))
    assert "Dear {customer}, certify it." in page.one("main").text
    form = {"title": "Certified", "text": "{company}: <b>certify</b>\r\nit.", "version": str(kept.version)}
    assert as_colleague.post(f"{TEXTS}{kept.pk}/", form).url == TEXTS
    kept.refresh_from_db()
    assert (kept.title, kept.text, kept.by.first_name) == ("Certified", "{company}: <b>certify</b>\nit.", "Dev")
    assert "&lt;b&gt;certify&lt;/b&gt;" in as_agent.get(TEXTS).content.decode()
    as_agent.post(f"{TEXTS}{kept.pk}/removal/")
    assert "certify" not in as_agent.get(TEXTS).content.decode()
    assert as_agent.get(f"{TEXTS}{kept.pk}/").status_code == 404
    assert SharedText.objects.count() == 1


def test_what_cannot_be_filled_in_or_kept_is_refused(as_agent: Client, agent: Any) -> None:
    markup = sound(add(as_agent, text="Dear {name}, {customer} {x y}"), 422)
    said = markup.one("div", id="id_text_error").text
    assert "{name} and {x y} cannot be filled in." in said
    assert all(f"{{{name}}}" in said for name in ("customer", "company", "party", "question", "agent"))
    assert markup.one("textarea", name="text").text.strip() == "Dear {name}, {customer} {x y}"
    assert markup.one("input", name="title").attributes["value"] == "Certified copy"
    for typed in ({"title": " "}, {"text": ""}, {"title": "x" * 81}, {"text": "x" * 2001}):
        assert add(as_agent, **typed).status_code == 422
    assert not SharedText.objects.exists()
    shared(agent, "certified COPY", "Certify it.")
    assert "Another text has this title" in add(as_agent).content.decode()


def test_nobody_overwrites_what_they_have_not_seen(as_agent: Client, as_colleague: Client, agent: Any) -> None:
    kept = shared(agent, "Copy", "First")
    form = {"title": "Copy", "text": "Mine", "version": "1"}
    as_colleague.post(f"{TEXTS}{kept.pk}/", form | {"text": "Theirs"})
    markup = sound(as_agent.post(f"{TEXTS}{kept.pk}/", form), 409)
    assert "Dev Ramanathan changed it after you opened it." in markup.one("main").text
    assert "Theirs" in markup.one("section", aria_labelledby="theirs").text
    assert markup.one("textarea", name="text").text.strip() == "Mine"
    version = markup.one("input", name="version").attributes["value"]
    as_colleague.post(f"{TEXTS}{kept.pk}/removal/")
    removed = as_agent.post(f"{TEXTS}{kept.pk}/", form | {"version": version})
    assert "Dev Ramanathan removed it after you opened it." in sound(removed).one("main").text
    version = sound(removed).one("input", name="version").attributes["value"]
    assert as_agent.post(f"{TEXTS}{kept.pk}/", form | {"version": version}).status_code == 302
    kept.refresh_from_db()
    assert (kept.text, kept.removed_at) == ("Mine", None)


def test_a_text_is_inserted_into_a_query_as_it_was_typed(named: Draft, as_agent: Client, agent: Any) -> None:
    text = shared(agent, "All", "{customer}, about {question} of {party} at {company}. {agent}")
    markup = query_page(as_agent, named, BIRTH)
    assert offered(markup) == ["Choose", "All"]
    # The Enter key presses the first button, and that saves.
    assert "name" not in markup.all("button", class_="visually-hidden")[0].attributes
    posted = {
        "place": str(BIRTH),
        "sight": "1.0",
        "reason": "unclear",
        "text": "Before",
        "note": "For us",
        f"p:{BIRTH}:day": "10",
        "shared_text": str(text.pk),
        "insert": "1",
    }
    write_note(named, WHOLE_APPLICATION, text="Meanwhile", by=agent)
    markup = sound(as_agent.post(path(named, "remarks/"), posted), 200)
    box = markup.one("textarea", name="text")
    assert box.text.strip() == (
        "Before\n\n{agent} Solheim, about Date of birth of Ada Lovelace at Larkfield Holdings. Mira Solheim"
    )
    assert "autofocus" in box.attributes
    assert markup.one("textarea", name="note").text.strip() == "For us"
    assert markup.one("input", name=f"p:{BIRTH}:day").attributes["value"] == "10"
    assert markup.one("option", value="unclear").attributes.get("selected") is not None
    # What the page has seen stays what it has seen.
    assert markup.one("input", name="sight").attributes["value"] == "1.0"
    assert not Query.objects.exists()


def test_only_texts_that_can_be_filled_in_are_offered(named: Draft, as_agent: Client, agent: Any) -> None:
    for name in ("company", "party", "question", "agent"):
        shared(agent, name, f"Hello {{{name}}}")
    assert offered(query_page(as_agent, named, BIRTH)) == ["Choose", "agent", "company", "party", "question"]
    assert offered(query_page(as_agent, named, SECTION)) == ["Choose", "agent", "company", "question"]
    assert offered(sound(as_agent.get(path(named, "ruling/")))) == ["Choose", "agent", "company"]
    agent.first_name = agent.last_name = ""
    agent.save()
    assert offered(sound(as_agent.get(path(named, "ruling/")))) == ["Choose", "company"]


def test_a_text_is_inserted_into_a_return(named: Draft, as_agent: Client, agent: Any) -> None:
    text = shared(agent, "Back", "<i>{company}</i> needs changes.")
    write_note(named, WHOLE_APPLICATION, text="Meanwhile", by=agent)
    posted = {"decision": "return", "text": "", "sight": "1.0", "shared_text": str(text.pk), "insert": "1"}
    answer = as_agent.post(path(named, "ruling/"), posted)
    assert "&lt;i&gt;Larkfield Holdings&lt;/i&gt; needs changes." in answer.content.decode()
    markup = sound(answer, 200)
    assert "checked" in markup.one("input", type="radio", value="return").attributes
    assert markup.one("input", name="sight").attributes["value"] == "1.0"
    assert state(named) == "in_review"
    # Without a text nothing is inserted, and nothing lost.
    markup = sound(as_agent.post(path(named, "ruling/"), posted | {"text": "Mine", "shared_text": "x"}))
    assert markup.one("textarea", name="text").text.strip() == "Mine"
