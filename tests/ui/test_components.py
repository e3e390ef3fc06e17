"""The components and the field templates, each by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django import forms
from django.core.paginator import Paginator
from django.http import QueryDict
from django.template.loader import get_template, render_to_string
from django.test import RequestFactory

from formation_portal.applications.readback import ShareTable
from formation_portal.portal.applications.overview import Task
from formation_portal.relay.delivery_status import DeliveryStage, DeliveryStatus
from formation_portal.ui.glossary import Term
from formation_portal.ui.pagination import numbered_links
from formation_portal.ui.sessions import SessionEnd
from formation_portal.ui.templatetags import components
from tests.markup import Markup

COMPONENTS = Path(__file__).parents[2] / "templates/ui"
ODD = "Ada & <b>Byron</b> \"'"


@dataclass(frozen=True)
class Named:
    """Anything with attributes, as components take it."""

    id: str = "x"
    text: str = ODD
    url: str = "/x"
    label: str = ODD
    name: str = ODD
    value: str = "x"
    term: str = ODD
    when: str = "1 May"
    title: str = ODD
    detail: str = ODD
    state: str = "later"
    facts: str = "1.4 MB"
    is_name: bool = True
    is_number: bool = True
    chosen: bool = True
    error: str = ""
    choices: tuple[Any, ...] = ()


class Form(forms.Form):
    """A form as the accounts have them."""

    login = forms.EmailField(label="E-mail", help_text="The one you signed up with.")
    remember = forms.BooleanField(required=False)


Some = SimpleNamespace

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "back": {"url": "/", "label": ODD, "is_name": True},
    "banner": {},
    "button": {"label": ODD, "kind": "quiet", "name": "later", "value": "1"},
    "patterns": {},
    "confirm_address": {"address": ODD, "letter_url": "/s", "can_confirm": True, "next": "/s"},
    "copies": {"reference": "FP-1", "of": ODD},
    "delivery": {"id": "d", "state": "checking", "at": "14:02"},
    "disclosure": {"summary": ODD, "text": ODD},
    "error_summary": {"problems": [Named()], "note": ODD},
    "figures": {"figures": [(ODD, ODD)]},
    "file": {"file": Some(name=ODD, url="/f", facts="1 kB", picture_url="/p", file_url="/d"), "is_apart": True},
    "filter": {"filters": [Named(name="region", choices=(Named(),)), Named(name="words")]},
    "form_fields": {"form": Form({"login": "no", "remember": "on"})},
    "given": {"lines": [ODD], "note": ODD},
    "help": {},
    "known": {"known": Named(), "title": ODD},
    "ledger": {"caption": ODD, "columns": [ODD, ODD], "rows": [[ODD, "1"]], "total": [ODD, "1"]},
    "ledger_cells": {"cells": [ODD, "1"]},
    "letter": {"id": "l", "title": ODD, "subject": ODD, "language": "en", "text": ODD, "url": "/l"},
    "masthead": {},
    "display": {
        "request": SimpleNamespace(offers_languages=True, method="GET", get_full_path="/a?b=c", COOKIES={}), "form": "",
    },
    "display_choices": {"form": "answers"},
    "account_menu": {},
    "message": {"tone": "is-good", "text": ODD, "title": ODD, "focus": True},
    "messages": {"messages": [ODD]},
    "needs_list": {"needs": [Named()], "met": [ODD], "large": True, "id": "needs"},
    "pagination": {"links": numbered_links(Paginator(range(50), 20).page(2), QueryDict("a=1"))},
    "party": {"item": Some(
        party=Some(token="p", label=ODD, kind="foundation"), facts=ODD, progress=Some(mark="half", text=ODD),
        delivery=DeliveryStatus(DeliveryStage.OURS, why=ODD), url="/e", can_edit=True, removal_url="/r",
        duplicate_url="/d", invitation=ODD, invitation_url="/i",
    ), "is_dense": False},
    "receipt": {"reference": "FP-1", "facts": [(ODD, ODD, True)]},
    "removed_party": {
        "party": Some(token="p", label=ODD, kind="person"), "facts": ODD, "url": "/r", "csrf_token": "t",
    },
    "role": {"role": Some(
        id="r", section=None, title=ODD, role="director", help=ODD, progress=Some(mark="open", text=ODD),
        holders=[ODD, ODD], usable=[Named()], contacts=[Named()], listed=[Named()], add_url="/a",
    ), "csrf_token": "t"},
    "session": {"is_in": True, "session": SessionEnd("14:02", is_near=True), "csrf_token": "t"},
    "session_clock": {"session": SessionEnd("14:02", ask_again=60)},
    "share_table": {"table": ShareTable((ODD,), ((ODD, ((ODD, "1"),)),), ((ODD, ((ODD, "1"),)),), ((ODD, "1"),))},
    "slot": {"slot": Some(
        id="s", spec=Some(section=None, words=ODD, required=True, help=ODD), file=Named(),
        state=Some(mark="warning", word=ODD, when=ODD, detail=ODD, note=ODD),
        error=ODD, upload_url="/u", remove_url="/r", key=ODD, advice=[ODD], earlier=[Named()],
        offers=lambda: [("x", ODD, "1.4 MB")],
    ), "csrf_token": "t"},
    "slot_control": {"slot": Some(id="s", spec=Some(words=ODD), file=Named()), "control": "file"},
    "slot_earlier": {"slot": Some(earlier=[Named()], spec=Some(words=ODD))},
    "slot_offers": {
        "slot": Some(offers=lambda: [("x", ODD, "1.4 MB")], is_in_form=False, upload_url="/u"), "csrf_token": "t",
    },
    "summary_row": {
        "id": "r", "term": ODD, "value": ODD, "is_name": True,
        "change_url": "/c", "change_what": ODD, "state": "met",
    },
    "task": {
        "task": Task("t", ODD, "/s", "half", ODD, ODD, ODD, copies="FP-1"), "is_ours": True,
    },
    "term": {"term": Term("seat", ODD, ODD, "en", ODD, "nl"), "place": ODD, "is_closed": True},
    "timeline": {"id": "way", "title": ODD, "steps": [Named(), Named(state="met")]},
    "uploading": {},
    "why": {"why": ODD * 9},
}  # fmt: skip


def test_every_component_has_an_example() -> None:
    assert {path.stem for path in COMPONENTS.glob("[a-z]*.html")} == set(EXAMPLES)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_component_stands_alone(name: str) -> None:
    markup = Markup(render_to_string(f"ui/{name}.html", dict(EXAMPLES[name])))
    assert markup.faults == []
    assert markup.unlabelled() == []
    assert not markup.all("b"), "what people type is never markup"


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_component_names_its_inputs(name: str) -> None:
    source = (COMPONENTS / f"{name}.html").read_text()
    assert source.startswith(("{#", "{% comment %}"))
    head = source.split("{% endcomment %}")[0].split("#}")[0]
    missing = [key for key in EXAMPLES[name] if key not in head and key not in ("csrf_token", "request")]
    assert missing == []


def test_an_error_summary_without_problems_is_not_there() -> None:
    assert render_to_string("ui/error_summary.html", {"problems": []}).strip() == ""


def test_the_error_summary_links_to_the_first_control_in_the_words_of_the_field() -> None:
    markup = Markup(render_to_string("ui/error_summary.html", {"problems": [Named(id="q:a"), Named(id="q:b")]}))
    assert [(one.attributes["href"], one.text) for one in markup.all("a")] == [("#q:a", ODD), ("#q:b", ODD)]
    assert markup.one("h2").text == "We can’t read 2 answers"
    summary = markup.one("div")
    assert summary.attributes["tabindex"] == "-1"
    assert "autofocus" in summary.attributes


@pytest.mark.parametrize("own_id", ['t"', ""])
@pytest.mark.parametrize("is_name", [True, False])
@pytest.mark.parametrize("is_ours", [True, False])
def test_a_task_is_a_link_with_what_is_said_of_it(own_id: str, is_name: bool, is_ours: bool) -> None:
    task = Task(own_id, ODD, "/s", "half", ODD, ODD, ODD, is_name=is_name, copies="FP-1")
    row = Markup(f"<ul>{components.task_row(task, is_ours=is_ours)}</ul>")
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
    slot = Some(id="s", spec=Some(section=None, words="Passport", required=True), error="Upload a PDF", upload_url="/u")
    control = Markup(render_to_string("ui/slot.html", {"slot": slot})).one("input", type="file")
    assert control.attributes["aria-invalid"] == "true"
    assert "s-error" in control.attributes["aria-describedby"]


@pytest.mark.parametrize("stage", [one for one in DeliveryStage if one is not DeliveryStage.SAVED])
def test_delivery_says_how_far_it_has_come_and_never_failed(stage: DeliveryStage) -> None:
    words = Markup(render_to_string("ui/delivery.html", {"state": stage})).one("p").text.strip()
    assert words == stage.label
    assert "fail" not in words.lower()


@pytest.mark.parametrize("state", sorted(components.GLYPHS))
def test_a_mark_is_hidden_from_those_who_hear_the_words(state: str) -> None:
    assert Markup(components.mark(state)).one("svg").attributes["aria-hidden"] == "true"


def test_no_state_has_no_mark() -> None:
    assert components.mark("") == ""


@pytest.mark.parametrize(
    ("name", "letters"),
    [("Ingrid Marie Solheim", "IS"), ("Kestrel", "K"), ("", "·"), ("Ölund & Åse", "ÖÅ"), ("<b>", "·")],
)
def test_a_seal_holds_initials(name: str, letters: str) -> None:
    assert Markup(components.seal(name)).one("span").text == letters


def test_the_problems_of_a_form_lead_to_its_controls() -> None:
    form = Form({"login": "no"})
    form.add_error(None, "Not known")
    assert [one.id for one in components.form_problems(form)] == ["id_login", "id_login"]


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
