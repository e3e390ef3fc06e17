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


def test_a_party_is_entered_once_with_several_roles(draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["shareholder", "director", "director"], factories.ADA, by=owner)
    (row,) = factories.again(draft).parties
    assert row.roles == ("director", "shareholder")
    assert row.record.answers.values["person.first_name"] == "Ada"


def test_posting_the_same_new_party_twice_makes_one(draft: Draft, owner: Any) -> None:
    other = factories.again(draft)
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="page1")
    services.add_party(other, "person", ["director"], factories.ADA, by=owner, token="page1")
    assert [row.token for row in factories.again(draft).parties] == ["page1"]
    assert len(rows_with(Change.objects, what="Added Ada Lovelace")) == 1


def test_posting_an_old_page_again_takes_away_nothing_that_was_answered_since(draft: Draft, owner: Any) -> None:
    party = services.add_party(draft, "person", ["director"], {}, by=owner, token="page1")
    services.save_party(draft, party, factories.ADA, version=1, by=owner)
    services.add_party(draft, "person", ["director"], {}, by=owner, token="page1")
    assert factories.again(draft).parties[0].raw == factories.ADA


def test_saving_a_party_keeps_what_was_not_posted(draft: Draft, owner: Any) -> None:
    party = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    services.save_party(draft, party, {"person.last_name": "King", "stray": "x"}, version=1, by=owner)
    raw = factories.again(draft).parties[0].raw
    assert (raw["person.first_name"], raw["person.last_name"]) == ("Ada", "King")
    assert "stray" not in raw


def test_a_stale_save_of_a_party_is_refused_with_both_texts(draft: Draft, owner: Any) -> None:
    party = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    services.save_party(draft, party, {"person.last_name": "King"}, version=1, by=owner)
    result = services.save_party(factories.again(draft), party, {"person.last_name": "Byron"}, version=1, by=owner)
    assert result.conflicts == {"person.last_name": OtherVersion("Byron", "King")}
    assert factories.again(draft).parties[0].raw["person.last_name"] == "King"
    services.save_party(draft, party, {"person.last_name": "King"}, version=1, by=owner)


def test_a_party_that_was_removed_meanwhile_is_gone(draft: Draft, owner: Any) -> None:
    party = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    other = factories.again(draft)
    (row,) = other.parties
    services.remove_party(draft, party, by=owner)
    with pytest.raises(services.Gone):
        services.save_party(other, row, {"person.last_name": "King"}, version=1, by=owner)
    with pytest.raises(services.Gone):
        services.add_document(other, party, "Passport", factories.upload(), by=owner)
    assert not Document.objects.exists()


@pytest.mark.parametrize("roles", [(), ("director",), ("shareholder",), ("manager",)])
def test_a_name_is_what_the_roles_ask_or_any_role_would_ask(roles: tuple[str, ...]) -> None:
    names = NameFields(FormSchema.model_validate(factories.SCHEMA))
    assert [spec.name for spec in names.of("person", roles)] == ["person.first_name", "person.last_name"]
    assert [spec.name for spec in names.of("corporate", roles)] == ["corporate.name"]


def test_the_audit_names_the_party_that_a_change_is_about(draft: Draft, owner: Any) -> None:
    ada = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    assert Entry.objects.filter(action=AuditAction.CHANGE).latest("pk").subject == ada.token


def test_another_partys_answer_of_the_same_name_is_no_clash(draft: Draft, owner: Any) -> None:
    ada = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    grace = services.add_party(draft, "person", ["director"], {"person.first_name": "Grace"}, by=owner)
    seen, page = ada.version, services.PageVersion(draft.application.revision, "a page")
    services.save_party(draft, ada, {"person.last_name": "King"}, version=ada.version, by=owner)
    services.save_party(draft, grace, {"person.first_name": "Grace B."}, version=grace.version, by=owner)
    services.save_party(draft, ada, {"person.first_name": "Augusta"}, version=seen, page_version=page, by=owner)
    assert [row.raw["person.first_name"] for row in factories.again(draft).parties] == ["Augusta", "Grace B."]
