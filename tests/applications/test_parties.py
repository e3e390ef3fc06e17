"""Entering people and companies once, with all their roles."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change, Document
from formation_portal.applications.parties import NameFields
from formation_portal.applications.services.transactions import OtherVersion
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.schema import FormSchema
from tests import factories
from tests.encrypted_rows import rows_with


def test_a_party_is_entered_once_with_several_roles_however_often_its_page_is_posted(draft: Draft, owner: Any) -> None:
    for window in (draft, factories.again(draft)):
        services.add_party(window, "person", ["shareholder", "director", "director"], {}, by=owner, token="page1")
    (row,) = factories.again(draft).parties
    assert (row.token, row.roles) == ("page1", ("director", "shareholder"))
    assert len(rows_with(Change.objects, holder="page1")) == 1
    # An old page that is posted again takes away nothing that was answered since.
    services.save_party(draft, row, factories.ADA, version=1, by=owner)
    services.add_party(draft, "person", ["director"], {}, by=owner, token="page1")
    (row,) = factories.again(draft).parties
    assert row.raw == factories.ADA
    assert row.record.answers.values["person.first_name"] == "Ada"
    assert Entry.objects.filter(action=AuditAction.CHANGE).latest("pk").subject == "page1"


def test_a_save_keeps_what_was_not_posted_and_a_stale_one_is_refused_with_both_texts(
    draft: Draft, ada: Any, owner: Any
) -> None:
    services.save_party(draft, ada, {"person.last_name": "King", "stray": "x"}, version=1, by=owner)
    result = services.save_party(factories.again(draft), ada, {"person.last_name": "Byron"}, version=1, by=owner)
    assert result.conflicts == {"person.last_name": OtherVersion("Byron", "King")}
    services.save_party(draft, ada, {"person.last_name": "King"}, version=1, by=owner)
    assert factories.again(draft).parties[0].raw == factories.ADA | {"person.last_name": "King"}


def test_a_party_that_was_removed_meanwhile_is_gone(draft: Draft, ada: Any, owner: Any) -> None:
    other = factories.again(draft)
    (row,) = other.parties
    services.remove_party(draft, ada, by=owner)
    with pytest.raises(services.Gone):
        services.save_party(other, row, {"person.last_name": "King"}, version=1, by=owner)
    with pytest.raises(services.Gone):
        services.add_document(other, row, "Passport", factories.upload(), by=owner)
    assert not Document.objects.exists()


@pytest.mark.parametrize("roles", [(), ("director",), ("manager",)])
def test_a_name_is_what_the_roles_ask_or_any_role_would_ask(roles: tuple[str, ...]) -> None:
    names = NameFields(FormSchema.model_validate(factories.SCHEMA))
    assert [spec.name for spec in names.of("person", roles)] == ["person.first_name", "person.last_name"]
    assert [spec.name for spec in names.of("corporate", roles)] == ["corporate.name"]


def test_another_partys_answer_of_the_same_name_is_no_clash(draft: Draft, ada: Any, owner: Any) -> None:
    grace = services.add_party(draft, "person", ["director"], {"person.first_name": "Grace"}, by=owner)
    seen, page = ada.version, services.PageVersion(draft.application.revision, "a page")
    services.save_party(draft, ada, {"person.last_name": "King"}, version=ada.version, by=owner)
    services.save_party(draft, grace, {"person.first_name": "Grace B."}, version=grace.version, by=owner)
    services.save_party(draft, ada, {"person.first_name": "Augusta"}, version=seen, page_version=page, by=owner)
    assert [row.raw["person.first_name"] for row in factories.again(draft).parties] == ["Augusta", "Grace B."]
