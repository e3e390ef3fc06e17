"""Copying an application on its page: asked first, done once, for its owner alone."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.relay.models import Delivery
from tests import factories
from tests.encrypted_rows import update_each
from tests.portal.pages import root

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def path(draft: Draft) -> str:
    return f"{root(draft)}copy/"


def copy_of(draft: Draft) -> Application:
    return Application.objects.exclude(pk=draft.application.pk).get()


def test_nothing_of_the_delivery_is_copied(submitted: Draft, as_owner: Client) -> None:
    update_each(Delivery.objects.filter(application=submitted.application), state="done", acknowledged={"id": "theirs"})
    as_owner.post(path(submitted))
    rows = Delivery.objects.filter(application=copy_of(submitted))
    assert rows.count() > 0
    assert {row.acknowledged for row in rows} == {None}


@pytest.fixture
def declared(owner: Any) -> Draft:
    """Return a draft with a declaration of the company, of its director and of its share class, all of them made."""
    company, *_, directors, _, _, shares = factories.SCHEMA["sections"]
    truth = factories.field("truth", "multi_select", options=["Everything is true"])
    consent = factories.field("consent", "multi_select", prefix="xy.person", options=["I consent to act"])
    languages = factories.field("languages", "multi_select", prefix="xy.person", options=["Greek", "Dutch"])
    rights = factories.field("rights", "multi_select", prefix="xy.class", options=["The rights are lawful"])
    sections = [
        company | {"fields": [*company["fields"], truth]},
        directors | {"person_fields": [*directors["person_fields"], consent, languages]},
        shares | {"fields": [*shares["fields"], rights]},
    ]
    draft = factories.new_draft(owner, schema=factories.SCHEMA | {"sections": sections})
    answers = factories.COMPANY | {"xy.truth": ["Everything is true"]}
    factories.save_section(draft, "the-company", answers, by=owner)
    ada = factories.ADA | {"xy.person.consent": ["I consent to act"], "xy.person.languages": ["Dutch"]}
    services.add_party(draft, "person", ["director"], ada, by=owner)
    services.add_share_class(draft, factories.ORDINARY | {"xy.class.rights": ["The rights are lawful"]}, by=owner)
    return draft


def test_a_copy_copies_no_declaration_and_asks_for_each_again(declared: Draft, as_owner: Client) -> None:
    as_owner.post(path(declared))
    copied = open_draft(copy_of(declared))
    assert copied.entity_raw == factories.COMPANY
    assert copied.parties[0].raw == factories.ADA | {"xy.person.languages": ["Dutch"]}
    assert copied.share_classes[0].raw == factories.ORDINARY
    missing = {need.field for need in copied.needs} - {need.field for need in declared.needs}
    assert missing == {"xy.truth", "xy.person.consent", "xy.class.rights"}
    assert open_draft(declared.application).entity_raw["xy.truth"] == ["Everything is true"]


def test_a_second_press_makes_no_second_copy(complete: Draft, as_owner: Client) -> None:
    first, second = as_owner.post(path(complete)), as_owner.post(path(complete))
    assert first["Location"] == second["Location"]
    assert Application.objects.count() == 2
