"""The page of one section: what it asks, what a save does, and what stands there when something is wrong."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.relay.models import Delivery, DeliveryState
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, section_url, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def posted(client: Client, application: Application, key: str = "the-company", **answers: Any) -> Any:
    """Post the section as its page stands, with these answers (the parts of a name joined by two underscores)."""
    version = page_at(client, section_url(application, key)).one("input", name="version").attributes["value"]
    named = {f"q:{name.replace('__', ':')}": value for name, value in answers.items()}
    return client.post(section_url(application, key), {"version": version, **named})


def started_on(day: int, month: int, year: int) -> dict[str, str]:
    return {"started_on__day": str(day), "started_on__month": str(month), "started_on__year": str(year)}


def test_saving_goes_on_to_the_next_section(as_owner: Client, application: Application) -> None:
    response = posted(as_owner, application, name="Larkfield", activity="Holding company")
    assert response.status_code == 302
    assert response["Location"] == section_url(application, "funds")
    assert open_draft(application).entity_raw == {"entity.name": "Larkfield", "xy.activity": "Holding company"}


def test_an_answer_that_opens_a_required_question_leads_to_it_once(as_owner: Client, application: Application) -> None:
    opened = posted(as_owner, application, name="Larkfield", activity="Trading")
    assert opened["Location"] == f"{section_url(application)}#q:goods"
    page = page_at(as_owner, section_url(application))
    assert "hidden" not in page.one("div", id="region-q:goods").attributes
    assert "1 more question" in page.one("div", id="messages").text
    again = posted(as_owner, application, name="Larkfield", activity="Trading", goods="")
    assert again["Location"] == section_url(application, "funds"), "it was seen, and may be left for later"


def test_answers_that_nobody_asks_for_are_ignored_and_told_without_their_value(
    as_owner: Client, application: Application, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        response = posted(as_owner, application, name="Larkfield", office__city="Nowhere", nonsense="secret")
    assert response.status_code == 302
    assert open_draft(application).entity_raw == {"entity.name": "Larkfield"}
    assert "q:nonsense" in caplog.text
    assert "q:office:city" in caplog.text
    assert "secret" not in caplog.text
    assert "Nowhere" not in caplog.text


def test_markup_that_was_typed_stays_text(as_owner: Client, application: Application) -> None:
    typed = '"><script>alert(1)</script>'
    posted(as_owner, application, name=typed, goods="</textarea><b>", activity="Trading")
    html = as_owner.get(section_url(application)).content.decode()
    page = Markup(html)
    assert page.faults == []
    assert page.one("input", name="q:name").attributes["value"] == typed
    assert page.one("textarea", name="q:goods").text.strip() == "</textarea><b>"
    assert "<script>alert" not in html


def test_two_drafts_never_show_each_others_text(
    as_owner: Client, as_other_customer: Client, application: Application, other_customer: Any
) -> None:
    theirs = services.start(owner=other_customer, product=factories.product())
    posted(as_owner, application, name="Larkfield", **started_on(1, 2, 2024))
    posted(as_other_customer, theirs, name="Kestrel", **started_on(3, 4, 2023))
    for client, own, name, year in (
        (as_owner, application, "Larkfield", "2024"),
        (as_other_customer, theirs, "Kestrel", "2023"),
    ):
        page = page_at(client, section_url(own))
        assert page.one("input", name="q:name").attributes["value"] == name
        assert page.one("input", name="q:started_on:year").attributes["value"] == year


def test_a_refusal_by_the_service_shows_at_its_field(as_owner: Client, application: Application) -> None:
    posted(as_owner, application, name="Larkfield")
    trouble = {"field": "entity.name", "code": "taken", "message": "Choose another name: this one is taken"}
    Delivery.objects.update_or_create(
        application=application,
        kind="entity",
        subject="",
        defaults={"state": DeliveryState.REFUSED, "problems": [trouble]},
    )
    page = page_at(as_owner, section_url(application))
    assert "this one is taken" in page.one("p", id="q:name-error").text
    assert "Choose another name: this one is taken" in page.one("div", role="alert", tabindex="-1").text
    assert page.one("h2", id="problem").text == "1 answer needs a change"
    assert posted(as_owner, application, name="Larkfield").status_code == 302, "it may be saved as it is"


def test_a_submitted_section_is_read_only_and_says_why(as_owner: Client, submitted: Draft) -> None:
    page = page_at(as_owner, section_url(submitted.application))
    assert "You submitted this application on" in page.one("main").text
    assert "Larkfield Holdings" in page.one("dl", _class="summary").text
    assert page.controls == []
    assert as_owner.post(section_url(submitted.application), {"version": "1", "q:name": "Other"}).status_code == 409
    assert open_draft(submitted.application).entity_raw["entity.name"] == "Larkfield Holdings"


def test_a_section_whose_rule_does_not_hold_says_so_and_is_passed_over(as_owner: Client, owner: Any) -> None:
    company, funds, *rest = factories.SCHEMA["sections"]
    rule = {"depends_on": {"field": "activity", "value": "Trading"}}
    form = factories.SCHEMA | {"sections": [company, funds | rule, *rest]}
    application = services.start(owner=owner, product=factories.product(schema=form))
    page = page_at(as_owner, section_url(application, "funds"))
    assert "Only asked if you answer Trading to “Activity”" in page.one("main").text
    assert all("hidden" in one.attributes for one in page.all("div", _class="region reveal"))
    assert posted(as_owner, application, name="Larkfield")["Location"].endswith("/people/")
    parked = as_owner.post(
        section_url(application, "funds"), {"version": "1", "q:capital:amount": "5", "q:capital:currency": "USD"}
    )
    assert parked.status_code == 302
    assert open_draft(application).entity_raw["xy.capital"] == {"amount": "5", "currency": "USD"}
    assert "xy.capital" not in [need.field for need in open_draft(application).needs]


def test_the_error_summary_leads_to_the_control_that_is_wrong(as_owner: Client, application: Application) -> None:
    for amount, currency, place in (("lots", "USD", "q:capital"), ("5", "CHF", "q:capital:currency")):
        page = sound(posted(as_owner, application, "funds", capital__amount=amount, capital__currency=currency), 422)
        assert page.one("input", name="q:capital:amount").attributes["value"] == amount
        marked = [one.attributes["id"] for one in page.elements if one.attributes.get("aria-invalid") == "true"]
        assert marked == [place]
        assert f"#{place}" in [one.attributes["href"] for one in page.all("a") if one.inside("ul")]
