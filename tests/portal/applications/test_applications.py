"""A customer's applications: the list, deleting a draft, and copying one."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.test import Client
from django.utils import timezone

from formation_portal.applications import models, services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change, Document
from formation_portal.portal.applications.pages import application_row
from formation_portal.relay.models import Delivery, DeliveryState
from tests import factories
from tests.encrypted_rows import update_each
from tests.markup import Markup
from tests.portal.pages import page_at, root, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_one_sees_only_ones_own(application: Application, as_owner: Client, as_other_customer: Client) -> None:
    assert application.reference in as_owner.get("/applications/").content.decode()
    assert application.reference not in as_other_customer.get("/applications/").content.decode()


def test_a_long_list_has_pages_and_a_fixed_number_of_queries(
    owner: Any, as_owner: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(25):
        draft = factories.new_draft(owner)
        factories.save_section(draft, "the-company", {"entity.name": f"Larkfield {number}"}, by=owner)
    as_owner.get("/applications/")
    with django_assert_max_num_queries(6):
        html = as_owner.get("/applications/").content.decode()
    assert html.count('class="task-name"') == 20
    assert as_owner.get("/applications/?page=2").content.decode().count('class="task-name"') == 5


@pytest.mark.parametrize(
    ("state", "mark", "status", "waits", "page"),
    [
        ("draft", "half", "Draft", "Waiting for you. ", ""),
        ("submitted_for_review", "open", "Submitted for review", "Waiting for our reviewer since ", "status/"),
        ("in_review", "open", "In review", "Waiting for our reviewer since ", "status/"),
        ("returned_for_changes", "warning", "Returned to you", "Waiting for you. ", ""),
        ("submitted_to_csp", "open", "With the registry", "Waiting for the registry. ", "status/"),
        ("incorporated", "met", "Incorporated", "", "status/"),
        ("rejected", "error", "Declined", "", "status/"),
        ("withdrawn", "later", "Withdrawn", "", "status/"),
    ],
)
def test_each_application_says_where_it_stands_and_who_is_waited_for(
    application: Application, owner: Any, state: str, mark: str, status: str, waits: str, page: str
) -> None:
    Application.objects.update(state=state, submitted_at=timezone.now())
    row = application_row(Application.objects.visible_to(owner).get())
    assert (row.state, row.status, row.title) == (mark, status, "Example company")
    assert row.url == f"/applications/{application.reference}/{page}"
    assert row.note.startswith(f"Example company, British Virgin Islands. {waits or 'Saved '}")
    assert row.note.count("Waiting") == bool(waits)


def test_an_application_to_pay_for_waits_for_its_customer(application: Application, owner: Any) -> None:
    Application.objects.update(state="submitted_for_review", payment_due_since=timezone.now())
    row = application_row(Application.objects.visible_to(owner).get())
    assert (row.state, row.status, "Waiting for you." in row.note) == ("warning", "Waiting for payment", True)


def removal_url(draft: Draft) -> str:
    return f"{root(draft)}removal/"


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_everything_goes_with_its_files(complete: Draft, as_owner: Client) -> None:
    [document] = complete.documents
    file = Path(project.MEDIA_ROOT) / str(document.file.name)
    assert file.exists()
    as_owner.post(removal_url(complete))
    for model in (Document, models.Holding, models.Party, models.ShareClass, models.SectionAnswers):
        assert not model.objects.exists(), model
    assert [change.what for change in Change.objects.all()] == ["Deleted the draft"]
    assert not file.exists()


def test_what_the_service_may_have_and_cannot_delete_is_said(complete: Draft, as_owner: Client, settings: Any) -> None:
    assert "tell the formation service to delete" in as_owner.get(removal_url(complete)).content.decode()
    entity = Delivery.objects.filter(kind="entity")
    update_each(entity, state=DeliveryState.DONE, acknowledged={"answers": {}}, remote_id="e1")
    settings.FORMATION_SERVICE_EDITS = False
    assert "Our team will ask for it to be removed." in as_owner.get(removal_url(complete)).content.decode()


def test_what_was_changed_since_the_question_is_not_deleted(complete: Draft, owner: Any, as_owner: Client) -> None:
    def drawn(page: Markup) -> dict[str, str]:
        return {"drawn": page.one("input", name="drawn").attributes["value"]}

    asked = page_at(as_owner, removal_url(complete))
    services.add_party(complete, "person", ["director"], {"person.first_name": "Eve"}, by=owner)
    again = sound(as_owner.post(removal_url(complete), drawn(asked)), 409)
    assert "Nothing was deleted" in again.one("main").text
    assert "2 people and companies" in again.one("main").text
    assert factories.again(complete).application.deleted_at is None
    as_owner.post(removal_url(complete), drawn(again))
    assert factories.again(complete).application.deleted_at is not None


def test_one_that_was_submitted_in_between_stays(complete: Draft, owner: Any, as_owner: Client) -> None:
    services.submit(complete, by=owner)
    assert as_owner.post(removal_url(complete))["Location"].endswith("/status/")
    assert Document.objects.exists()


def copy_url(draft: Draft) -> str:
    return f"{root(draft)}copy/"


def copy_of(draft: Draft) -> Application:
    return Application.objects.exclude(pk=draft.application.pk).get()


def test_nothing_of_the_delivery_is_copied(submitted: Draft, as_owner: Client) -> None:
    update_each(Delivery.objects.filter(application=submitted.application), state="done", acknowledged={"id": "theirs"})
    as_owner.post(copy_url(submitted))
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
    as_owner.post(copy_url(declared))
    copied = open_draft(copy_of(declared))
    assert copied.entity_raw == factories.COMPANY
    assert copied.parties[0].raw == factories.ADA | {"xy.person.languages": ["Dutch"]}
    assert copied.share_classes[0].raw == factories.ORDINARY
    missing = {need.field for need in copied.needs} - {need.field for need in declared.needs}
    assert missing == {"xy.truth", "xy.person.consent", "xy.class.rights"}
    assert open_draft(declared.application).entity_raw["xy.truth"] == ["Everything is true"]


def test_a_second_press_makes_no_second_copy(complete: Draft, as_owner: Client) -> None:
    first, second = as_owner.post(copy_url(complete)), as_owner.post(copy_url(complete))
    assert first["Location"] == second["Location"]
    assert Application.objects.count() == 2
