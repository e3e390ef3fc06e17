"""The form that is tried out: what is typed opens questions, fills needs, and would be sent as the worker sends it."""

import json
import re
from html import unescape
from typing import Any

from django.http import QueryDict
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.desk.workbench.calls import planned_calls
from formation_portal.desk.workbench.forms import posted_draft
from formation_portal.desk.workbench.pages import Trial
from formation_portal.relay.models import Delivery
from formation_portal.relay.worker import drain
from tests import factories
from tests.markup import Markup
from tests.other_service.schema_builders import ask, entity, schema, when
from tests.relay.conftest import _files_go_nowhere_else, draft, transport
from tests.relay.flaky_transport import FlakyTransport

from .conftest import Show

__all__ = ["_files_go_nowhere_else", "draft", "transport"]

SOME_ENTITY = {"s0:q:name": "Larkfield Holdings", "s0:q:activity": "Holding company"}
FUNDS = {"s1:q:capital:amount": "50,000", "s1:q:capital:currency": "USD"}
SOMEBODY = {
    "party": "person-1",
    "person-1:roles": ["director", "shareholder"],
    "person-1:q:person.first_name": "Ada",
    "person-1:q:person.last_name": "Lovelace",
    "person-1:q:person.email": "ada@example.com",
    "person-1:q:person.date_of_birth:day": "10",
    "person-1:q:person.date_of_birth:month": "12",
    "person-1:q:person.date_of_birth:year": "1985",
    "person-1:q:xy.person.is_pep": "false",
    "document": "person-1/Passport",
}
A_CLASS = {"class": "class-1", **{f"class-1:q:{name}": value for name, value in factories.ORDINARY.items()}}
COMPLETE: dict[str, Any] = {**SOME_ENTITY, **FUNDS, **SOMEBODY, **A_CLASS, "shares:person-1:class-1": "10,000"}


def tried(controls: dict[str, Any]) -> Draft:
    post = QueryDict(mutable=True)
    for name, value in controls.items():
        post.setlist(name, value if isinstance(value, list) else [value])
    return posted_draft(factories.product(), post)


def test_a_complete_application_needs_nothing_and_each_answer_that_is_left_out_is_needed() -> None:
    assert tried(COMPLETE).needs == ()
    for left_out in COMPLETE:
        without = tried({name: value for name, value in COMPLETE.items() if name != left_out})
        assert Trial(without).needs, left_out


def test_each_need_leads_to_a_place_on_the_page(show: Show) -> None:
    for controls in ({}, {"add": "person:director"}, COMPLETE | {"s0:q:name": "", "add": "class:"}):
        html = show(factories.ITEM, controls)
        ids = set(re.findall(r' id="([^"]+)"', html))
        [needs] = re.findall(r'(?s)<section id="needs-section".*?</section>', html)
        links = re.findall(r'href="#([^"]+)"', needs)
        assert links
        assert set(links) <= ids


def test_people_and_classes_are_added_up_to_as_many_as_fit_and_removed(show: Show) -> None:
    html = show(factories.ITEM, {"add": "person:director"})
    assert 'name="party" value="person-1"' in html
    two = show(factories.ITEM, {"party": "person-1", "person-1:roles": "director", "add": "corporate:director"})
    assert 'value="corporate-2"' in two
    one = show(factories.ITEM, {"party": ["person-1", "corporate-2"], "remove": "person-1"})
    assert 'name="party" value="person-1"' not in one
    assert 'name="party" value="corporate-2"' in one
    many = {"party": [f"person-{number}" for number in range(400)], "class": [f"class-{n}" for n in range(400)]}
    html = show(factories.ITEM, many)
    assert html.count('name="party"') == 12
    assert html.count('name="class"') == 6
    assert 'name="add"' not in html
    for token in ("ada", "person-", "person-²", "person-99999", "x-1", "person--1"):
        html = show(factories.ITEM, {"party": token, "class": token, "add": token, "remove": token})
        assert 'name="party"' not in html, token
        assert 'name="class"' not in html, token


def test_an_unreadable_answer_stands_as_typed_and_a_missing_one_is_named(show: Show) -> None:
    html = show(factories.ITEM, COMPLETE | {"s1:q:capital:amount": "a lot", "shares:person-1:class-1": "many"})
    assert 'value="a lot"' in html
    assert 'value="many"' in html
    assert 'aria-invalid="true"' in html
    html = show(factories.ITEM, COMPLETE | {"person-1:q:person.email": ""})
    assert "Not sent until a required answer is there: Ada Lovelace" in html
    calls = html[html.index('id="calls"') :]
    assert "/parties" not in calls
    assert "/submit" not in calls


def test_an_answer_opens_its_questions_and_the_one_that_shows_is_read(show: Show) -> None:
    def goods(html: str) -> bool:
        [region] = Markup(html).all("div", id="region-s0:q:goods")
        return "hidden" not in region.attributes

    html = show(factories.ITEM)
    assert not goods(html)
    assert 'name="s0:q:activity"' in html
    assert 'name="s1:q:activity"' not in html, "what two sections share is asked once"
    assert goods(show(factories.ITEM, {"s0:q:activity": "Trading"}))
    first = ask("a", "In short", csp_field_key="lark.purpose", depends_on=when("kind", "Short"))
    other = ask("b", "At length", csp_field_key="lark.purpose", depends_on=when("kind", "Long"))
    kind = ask("kind", "Kind", "select", options=["Short", "Long"])
    form = schema("Form", entity("One", kind, first), entity("Two", other))
    typed = {"s0:q:a": "brief", "s1:q:b": "much", "s0:q:kind": "Short"}
    assert '"lark.purpose": "brief"' in unescape(show(form, typed | {"shown": "region-s0:q:a"}))
    assert '"lark.purpose": "much"' in unescape(show(form, typed | {"s0:q:kind": "Long", "shown": "region-s1:q:b"}))


def test_a_change_is_answered_with_what_differs(as_agent: Client) -> None:
    def answer(**controls: Any) -> str:
        post = {"schema": json.dumps(factories.ITEM), **COMPLETE, **controls}
        return as_agent.post("/workbench/", post, headers={"HX-Request": "true"}).content.decode()

    changed = answer(**{"s0:q:activity": "Trading"})
    region = re.search(r'<div class="region[^>]*id="region-s0:q:goods"[^>]*>', changed)
    assert region
    assert "hidden" not in region[0].replace("overflow", "")
    assert "Enter “Goods”" in changed
    # No control that may be in use is drawn anew.
    assert 'name="s0:q' not in changed
    # But those of somebody whose roles are others now.
    assert 'name="person-1:q' not in answer(**{"person-1:drawn": "director shareholder"})
    assert 'name="person-1:q' in answer(**{"person-1:drawn": "director"})
    assert answer(schema="{").strip() == "", "what can't be read"


def test_the_calls_are_those_that_the_worker_makes(complete: Draft, owner: Any, transport: FlakyTransport) -> None:
    services.submit(complete, by=owner, declaration="I declare it.")
    drain()
    # What the service named: ids stand where the page has names in braces.
    ids = {row.remote_id: f"{{id of {row.subject}}}" for row in Delivery.objects.exclude(remote_id="")}
    ids[Delivery.objects.get(kind="entity").remote_id] = "{entity_id}"
    tokens = {"person-1": "ada", "class-1": "ordinary", "FP-0000-0000-0000": complete.application.reference}

    def with_names(text: str) -> str:
        for remote_id, name in ids.items():
            text = text.replace(remote_id, name)
        return text

    def with_tokens(text: str) -> str:
        for ours, theirs in tokens.items():
            text = text.replace(ours, theirs)
        return text

    made = [(with_names(one.path.removeprefix("/api/v1")), one.body) for one in transport.calls if one.method == "POST"]
    planned, waiting = planned_calls(tried(COMPLETE))
    assert waiting == []
    assert [path for path, _ in made] == [with_tokens(one.path) for one in planned]
    compared = 0
    for (_, body), call in zip(made, planned, strict=True):
        if call.is_multipart:
            sent = with_names(str(body))
            assert with_tokens(call.body).splitlines()[:3] == [
                "document_key: Passport",
                "scope: party",
                "party_id: {id of ada}",
            ]
            assert all(part in sent for part in ("document_key", "Passport", "party", "{id of ada}"))
        else:
            assert json.loads(with_names(json.dumps(body))) == json.loads(with_tokens(call.body))
            compared += 1
    assert compared > 5
