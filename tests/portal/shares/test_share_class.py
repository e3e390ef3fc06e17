"""A class of shares: making one, changing it, and removing it."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.parties import ShareClassRow
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, sound
from tests.portal.share_limits import with_section

pytestmark = pytest.mark.django_db(databases=["default", "service"])

ANSWERS = {f"q:{name.partition('.')[2]}": value for name, value in factories.ORDINARY.items()}


def url(application: Application, more: str = "new/") -> str:
    return f"/applications/{application.reference}/shares/classes/{more}"


def stored(application: Application) -> ShareClassRow:
    [row] = open_draft(application).share_classes
    return row


def page_of(client: Client, application: Application, more: str = "new/") -> Markup:
    return page_at(client, url(application, more))


def proposed(page: Markup) -> tuple[str, bool]:
    """The name, and whether both votes and dividends are a yes."""
    rights = [page.all("input", name=f"q:{name}", value="true")[0] for name in ("voting_rights", "dividend_rights")]
    return page.one("input", id="q:name").attributes.get("value", ""), all(
        "checked" in one.attributes for one in rights
    )


def test_a_first_class_is_proposed_and_kept_only_by_a_save(as_owner: Client, application: Application) -> None:
    page = page_of(as_owner, application)
    assert proposed(page) == ("Ordinary", True)
    needs = " ".join(one.text for one in page.all("li", class_="need"))
    assert "Name" not in needs
    assert "Currency" in needs
    assert open_draft(application).share_classes == ()
    as_owner.post(url(application), ANSWERS | {"q:name": "", "q:voting_rights": "false"})
    assert stored(application).raw["share_class.voting_rights"] == "false"
    assert proposed(page_of(as_owner, application, f"{stored(application).token}/")) == ("", False)
    assert proposed(page_of(as_owner, application)) == ("", False), "a second one starts empty"


def test_an_answer_of_a_new_class_that_opens_a_required_question_leads_to_it_once(as_owner: Client, owner: Any) -> None:
    without_dividends = {"field": "dividend_rights", "value": False}
    premium = factories.field("premium_each", "number", prefix="xy.share", depends_on=without_dividends)
    draft = factories.new_draft(owner, schema=with_section("share_structure", fields=[premium]))
    application = draft.application
    post = ANSWERS | {"version": "1", "q:dividend_rights": "false", "q:premium_each": ""}
    opened = as_owner.post(url(application), post)
    its_own = url(application, f"{stored(application).token}/")
    assert opened["Location"] == f"{its_own}#q:premium_each"
    assert "hidden" not in page_at(as_owner, its_own).one("div", id="region-q:premium_each").attributes
    again = as_owner.post(its_own, post | {"version": str(stored(application).version)})
    assert again["Location"] == f"/applications/{application.reference}/shares/"


def test_an_unreadable_answer_of_a_new_class_is_kept(as_owner: Client, application: Application) -> None:
    page = sound(as_owner.post(url(application), ANSWERS | {"q:par_value": "cheap"}), 422)
    assert page.one("input", name="q:par_value").attributes["value"] == "cheap"
    assert stored(application).raw["share_class.par_value"] == "cheap"
    token = page.one("input", name="token").attributes["value"]
    version = page.one("input", name="version").attributes["value"]
    as_owner.post(url(application), ANSWERS | {"token": token, "version": version})
    assert stored(application).raw["share_class.par_value"] == "1"


def test_a_stale_save_of_a_class_shows_both(as_owner: Client, complete: Draft, owner: Any) -> None:
    row = complete.share_classes[0]
    services.save_share_class(complete, row, {"share_class.name": "Common"}, version=row.version, by=owner)
    post = {"version": "1", "q:name": "Plain"}
    page = sound(as_owner.post(url(complete.application, "ordinary/"), post), 409)
    assert page.one("legend").text == "Name of the share class"
