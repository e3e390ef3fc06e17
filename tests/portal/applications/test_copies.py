"""Copying an application on its page: asked first, done once, for its owner alone."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.relay.models import Delivery
from tests.encrypted_rows import update_each
from tests.markup import Markup
from tests.portal.submission.test_record import without_token

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def path(draft: Draft) -> str:
    return f"/applications/{draft.application.reference}/copy/"


def copy_of(draft: Draft) -> Application:
    return Application.objects.exclude(pk=draft.application.pk).get()


def test_the_question_says_what_is_copied(complete: Draft, as_owner: Client) -> None:
    html = as_owner.get(path(complete)).content.decode()
    assert Markup(html).faults == []
    for words in (
        "3 answers about the company or foundation",
        "1 person or company, with their roles",
        "1 share class",
        "1 document",
    ):
        assert words in html
    assert Application.objects.count() == 1


def test_a_press_makes_the_copy_and_opens_it(complete: Draft, as_owner: Client) -> None:
    response = as_owner.post(path(complete), follow=True)
    made = copy_of(complete)
    assert response.redirect_chain == [(f"/applications/{made.reference}/", 302)]
    assert "This is a copy of Larkfield Holdings" in response.content.decode()
    assert open_draft(made).needs == ()


def test_a_second_press_makes_no_second_copy(complete: Draft, as_owner: Client) -> None:
    first, second = as_owner.post(path(complete)), as_owner.post(path(complete))
    assert first["Location"] == second["Location"]
    assert Application.objects.count() == 2


def test_nothing_of_the_delivery_is_copied(submitted: Draft, as_owner: Client) -> None:
    update_each(Delivery.objects.filter(application=submitted.application), state="done", acknowledged={"id": "theirs"})
    as_owner.post(path(submitted))
    rows = Delivery.objects.filter(application=copy_of(submitted))
    assert rows.count() > 0
    assert {row.acknowledged for row in rows} == {None}


def test_the_status_leads_to_it(submitted: Draft, as_owner: Client) -> None:
    status = as_owner.get(f"/applications/{submitted.application.reference}/status/").content.decode()
    assert f'href="{path(submitted)}"' in status


@pytest.mark.parametrize("method", ["get", "post"])
def test_only_its_owner_copies_it(
    method: str, complete: Draft, as_other_customer: Client, as_agent: Client, as_nobody: Client
) -> None:
    absent = getattr(as_other_customer, method)("/applications/FP-0000-0000-0000/copy/")
    for client in (as_other_customer, as_agent):
        response: Any = getattr(client, method)(path(complete))
        assert response.status_code == 404
    assert without_token(getattr(as_other_customer, method)(path(complete))) == without_token(absent)
    assert getattr(as_nobody, method)(path(complete)).status_code == 302
    assert Application.objects.count() == 1
