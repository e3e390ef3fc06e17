"""Moving on: answers carried over, a changed form, copies, exports, and a draft that was deleted."""

import re

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.gateway.catalog import catalog
from tests import factories
from tests.journeys.chromium.test_questions import started
from tests.journeys.conftest import new_user
from tests.journeys.walkthroughs.conftest import OpenAs
from tests.journeys.walkthroughs.drafts import address_of, complete_draft, reloaded
from tests.journeys.walkthroughs.modes import in_every_mode
from tests.needed import has_chromium, needed
from tests.portal.applications.test_new_form import earlier

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def others_of(draft: Draft) -> list[Application]:
    """What else its owner has."""
    return [
        *Application.objects.filter(owner=draft.application.owner, deleted_at=None).exclude(pk=draft.application.pk)
    ]


@in_every_mode
def test_answers_are_carried_over_to_another_product(open_as: OpenAs, site: str) -> None:
    application, owner = started("bvi-limited-company")
    draft = open_draft(application)
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    ida = open_as(owner, address_of(draft))
    ida.follow("Reuse these answers for another company")
    ida.follow("Cancel")
    ida.follow("Reuse these answers for another company")
    ida.select("Which company type", "International business")
    ida.follow("See what we can reuse")
    ida.expect_text("What we can reuse")
    ida.expand("Ada Lovelace: ")
    ida.expect_text("Director")
    assert others_of(draft) == []
    ida.visit_all_controls()
    ida.follow("Start the new application")
    [other] = others_of(draft)
    assert other.reference in ida.tab.url
    assert [row.label for row in open_draft(other).parties] == ["Ada Lovelace"]


@in_every_mode
def test_a_changed_form_is_taken_over_on_consent(open_as: OpenAs, site: str) -> None:
    catalog()
    draft = open_draft(services.start(owner=new_user(), product=earlier()))
    section = draft.schema.entity_sections[0]
    services.save_section(draft, section, {"old": "A thing of old"}, version=0, by=draft.application.owner)
    ida = open_as(draft.application.owner, address_of(draft))
    ida.follow("See what has changed")
    ida.expect_text("“Its name” is now “")
    ida.expect_text("No longer asked")
    ida.follow("Not now")
    assert reloaded(draft).schema.version == "before"
    ida.follow("See what has changed")
    ida.visit_all_controls()
    ida.follow("Use the new form")
    ida.expect_text("This application now uses the new form.")
    assert reloaded(draft).schema.version != "before"


@in_every_mode
def test_an_application_is_copied_exported_and_deleted(open_as: OpenAs, site: str) -> None:
    draft = complete_draft()
    ida = open_as(draft.application.owner, address_of(draft))
    assert ida.download("Save as PDF").path().read_bytes().startswith(b"%PDF")
    assert b'"formation-portal/application"' in ida.download("Download as JSON").path().read_bytes()
    ida.follow("Copy this application")
    ida.follow(f"Copy {draft.title}")
    [other] = others_of(draft)
    assert other.reference in ida.tab.url
    copied = open_draft(other)
    assert [row.label for row in copied.parties] == ["Ada Lovelace"]
    ida.follow("Delete this draft")
    ida.expect_text("What will be deleted")
    ida.follow("Keep it")
    ida.follow("Delete this draft")
    ida.follow("Delete ")
    expect(ida.tab).to_have_url(re.compile("/applications/$"))
    ida.expect_text("was deleted.")
    assert others_of(draft) == []
    assert reloaded(draft).needs == ()
