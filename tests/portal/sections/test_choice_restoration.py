"""A choice that makes much inactive says so and can be undone, with script and without, exactly as it was answered."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from tests import factories
from tests.portal.pages import page_at, people_url, root, section_url

from .test_section_changes import change, swapped

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SAYS = "No longer needed because of this answer: 1 section, 1 person and 1 answer."
PEP_OFFICES = [
    factories.field(f"office{n}", prefix="xy.person", depends_on={"field": "is_pep", "value": True}) for n in "abcd"
]


@pytest.fixture
def trading(draft: Draft, owner: Any) -> Draft:
    """It trades, and so has a manager."""
    raw = factories.COMPANY | {"xy.activity": "Trading", "xy.goods": "Fish"}
    factories.save_section(draft, "the-company", raw, by=owner)
    services.add_party(draft, "person", ["manager"], factories.ADA, by=owner)
    return draft


def undo_url(draft: Draft) -> str:
    return f"{root(draft)}changes/{draft.application.changes.latest('pk').pk}/restoration/"


def activity(draft: Draft) -> Any:
    return open_draft(draft.application).entity_raw.get("xy.activity")


def save(client: Client, draft: Draft, **answers: Any) -> Any:
    version = open_draft(draft.application).version("the-company")
    post = {"version": str(version)} | {f"q:{name}": value for name, value in answers.items()}
    return client.post(section_url(draft.application), post)


def test_a_choice_says_at_its_control_what_it_has_made_inactive(as_owner: Client, trading: Draft) -> None:
    page = change(as_owner, trading.application, activity="Holding company", shown=("region-q:goods",))
    line = page.one("div", class_="inactive")
    assert SAYS in line.text
    assert page.one("input", name="set_aside").ancestors[-1] is line
    assert line.ancestors[-1].attributes["hx-swap-oob"] == 'beforeend:[id="q:activity-field"]'
    assert page.one("button", formaction=undo_url(trading)).text == "Undo"
    assert page.one("p", id="announcer").text.endswith(SAYS)
    # Of a choice that makes little inactive the line is taken away.
    page = change(as_owner, trading.application, activity="Trading", set_aside="1")
    assert page.all("div", class_="inactive") == []
    assert "set-aside" in swapped(page)


def test_undo_at_the_control_keeps_what_was_typed_meanwhile(as_owner: Client, trading: Draft) -> None:
    change(as_owner, trading.application, activity="Holding company")
    version = open_draft(trading.application).version("the-company")
    post = {"version": str(version), "q:activity": "Holding company", "q:name": "Typed just now"}
    response = as_owner.post(undo_url(trading), post)
    assert response["Location"] == section_url(trading.application)
    now = open_draft(trading.application)
    assert now.entity_raw == factories.COMPANY | {
        "xy.activity": "Trading",
        "xy.goods": "Fish",
        "entity.name": "Typed just now",
    }
    assert "“Activity” has been changed back." in as_owner.get(section_url(trading.application)).content.decode()


def test_a_save_of_the_choice_that_was_on_its_way_does_not_stop_the_undo(as_owner: Client, trading: Draft) -> None:
    change(as_owner, trading.application, activity="Holding company")
    version, address = open_draft(trading.application).version("the-company"), undo_url(trading)
    change(as_owner, trading.application, name="On its way")
    post = {"version": str(version), "q:activity": "Holding company", "q:name": "On its way"}
    assert as_owner.post(address, post).status_code == 302
    assert activity(trading) == "Trading"


@pytest.mark.parametrize("button", ["update", ""])
def test_without_script_the_page_that_follows_says_the_same(as_owner: Client, trading: Draft, button: str) -> None:
    version = trading.version("the-company")
    post = {"version": str(version), "q:activity": "Holding company"} | ({button: "1"} if button else {})
    response = as_owner.post(section_url(trading.application), post)
    page = page_at(as_owner, response["Location"])
    (form,) = page.all("form", action=undo_url(trading))
    assert SAYS in form.ancestors[-1].text
    token = page.all("input", name="csrfmiddlewaretoken")
    assert any(form in one.ancestors for one in token)
    as_owner.post(undo_url(trading))
    assert activity(trading) == "Trading"


def test_only_choices_can_be_taken_back_and_by_nobody_else(
    as_owner: Client, as_other_customer: Client, as_agent: Client, as_nobody: Client, trading: Draft
) -> None:
    save(as_owner, trading, name="Another name")
    assert as_owner.post(undo_url(trading)).status_code == 404
    save(as_owner, trading, activity="Holding company")
    missing = as_other_customer.post("/applications/FP-0000-0000-0000/changes/1/restoration/")
    for client in (as_other_customer, as_agent):
        response = client.post(undo_url(trading))
        assert response.status_code == 404
        assert client is as_agent or len(response.content) == len(missing.content)
    assert as_nobody.post(undo_url(trading)).status_code == 302
    assert activity(trading) == "Holding company"


def test_a_submitted_choice_stays(as_owner: Client, complete: Draft, owner: Any) -> None:
    factories.save_section(complete, "the-company", {"xy.activity": "Trading", "xy.goods": "Fish"}, by=owner)
    address = undo_url(complete)
    services.submit(complete, by=owner, declaration="I declare it.")
    assert as_owner.post(address).status_code == 409
    assert activity(complete) == "Trading"


def test_a_choice_about_a_person_is_taken_back_on_its_page(as_owner: Client, owner: Any) -> None:
    company, funds, directors, *rest = factories.SCHEMA["sections"]
    ruled = directors | {"person_fields": [*directors["person_fields"], *PEP_OFFICES]}
    form = factories.SCHEMA | {"sections": [company, funds, ruled, *rest]}
    draft = factories.new_draft(owner, schema=form)
    offices = {f"xy.person.office{n}": n for n in "abcd"}
    ada = services.add_party(
        draft, "person", ["director"], factories.ADA | {"xy.person.is_pep": "true"} | offices, by=owner
    )
    address = people_url(draft, f"{ada.token}/")
    posted = {"version": str(ada.version), "q:xy.person.is_pep": "false", "update": "1"}
    response = as_owner.post(address, posted)
    assert "No longer needed because of this answer: 4 answers." in as_owner.get(response["Location"]).content.decode()
    assert as_owner.post(undo_url(draft))["Location"] == address
    row = open_draft(draft.application).party(ada.token)
    assert row is not None
    assert row.raw == factories.ADA | {"xy.person.is_pep": "true"} | offices
