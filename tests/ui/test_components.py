"""The components that decide something, each by itself."""

import pytest
from django.core.paginator import Paginator
from django.http import QueryDict
from django.template.loader import get_template, render_to_string
from django.test import RequestFactory

from formation_portal.portal.applications.overview import Task
from formation_portal.ui.pagination import numbered_links
from formation_portal.ui.templatetags import components
from tests.markup import Markup

ODD = "Ada & <b>Byron</b> \"'"


def test_the_error_summary_links_to_the_first_control_in_the_words_of_the_field() -> None:
    problems = [{"id": "q:a", "text": ODD}, {"id": "q:b", "text": ODD}]
    markup = Markup(render_to_string("ui/error_summary.html", {"problems": problems}))
    assert [(one.attributes["href"], one.text) for one in markup.all("a")] == [("#q:a", ODD), ("#q:b", ODD)]
    assert markup.one("h2").text == "We can’t read 2 answers"
    summary = markup.one("div")
    assert summary.attributes["tabindex"] == "-1"
    assert "autofocus" in summary.attributes


@pytest.mark.parametrize("own_id", ['t"', ""])
def test_a_task_is_a_link_with_what_is_said_of_it(own_id: str) -> None:
    task = Task(own_id, ODD, "/s", "half", ODD, ODD, ODD, is_name=True, copies="FP-1")
    row = Markup(f"<ul>{components.task_row(task, is_ours=True)}</ul>")
    assert row.faults == []
    assert not row.all("b"), "what people type is never markup"
    link = row.one("a", **{"class": "task-name"})
    said = link.attributes.get("aria-describedby", "").split()
    assert said == ([f"{own_id}-{part}" for part in ("status", "note", "why")] if own_id else [])
    assert {one.attributes["id"] for one in row.all("p") if "id" in one.attributes} == set(said)
    assert [one.text for one in row.all("p")][:3] == [ODD, f"{ODD}.", ODD]
    assert len(row.all("a")) == 3, "the two copies of its record"


def test_a_task_that_opens_later_is_not_a_link() -> None:
    row = Markup(f"<ul>{components.task_row(Task('t', 'Submit', '', 'later', 'Not available yet', ''))}</ul>")
    assert row.all("a") == []
    assert [one.text for one in row.all("p")] == ["Not available yet"]


def test_a_refused_file_is_said_at_its_control() -> None:
    spec = {"section": None, "words": "Passport", "required": True}
    slot = {"id": "s", "spec": spec, "error": "Upload a PDF", "upload_url": "/u"}
    control = Markup(render_to_string("ui/slot.html", {"slot": slot})).one("input", type="file")
    assert control.attributes["aria-invalid"] == "true"
    assert "s-error" in control.attributes["aria-describedby"]


@pytest.mark.parametrize(
    ("name", "letters"),
    [("Ingrid Marie Solheim", "IS"), ("", "·"), ("Ölund & Åse", "ÖÅ"), ("<b>", "·")],
)
def test_a_seal_holds_initials(name: str, letters: str) -> None:
    assert Markup(components.seal(name)).one("span").text == letters


@pytest.mark.parametrize("code", ["400", "403", "403_csrf", "404", "500", "503"])
def test_an_error_page_needs_no_context_and_says_what_became_of_the_answers(code: str) -> None:
    markup = Markup(get_template(f"{code}.html").render())
    assert markup.faults == []
    text = markup.one("main").text.lower()
    assert "saved" in text or "changed" in text or "as it was" in text
    assert markup.one("h1").text


def test_a_stale_form_is_shown_again_with_what_was_typed() -> None:
    request = RequestFactory().post("/x", {"name": "\nLarkfield", "ticked": ["a", "b"], "csrfmiddlewaretoken": "old"})
    markup = Markup(render_to_string("403_csrf.html", {"posted": request.POST, "csrf_token": "new"}, request))
    typed = [(one.attributes["name"], one.text) for one in markup.all("textarea")]
    assert typed == [("name", "\n\nLarkfield"), ("ticked", "\na"), ("ticked", "\nb")]


def test_pages_of_a_list_keep_the_rest_of_the_address() -> None:
    links = numbered_links(Paginator(range(1000), 10).page(50), QueryDict("state=new&page=50"))
    markup = Markup(render_to_string("ui/pagination.html", {"links": links}))
    assert markup.one("span", aria_current="page").text == "50"
    assert [one.text for one in markup.all("a")] == ["Previous", "1", "48", "49", "51", "52", "100", "Next"]
    assert {one.attributes["href"].split("page=")[0] for one in markup.all("a")} == {"?state=new&"}
