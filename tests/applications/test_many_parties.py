"""Every way to ask for needs gives the same needs, and a change is seen in the draft that made it."""

import random
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.portal.parties.progress import NeedCounts
from tests import factories
from tests.campaigns.agreement.drafting import Drafter
from tests.embedded_catalog import catalog_items

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SLUGS = ("bvi-limited-company", "ch-foundation")


def item_of(slug: str) -> CatalogItem:
    document = next(one for one in catalog_items() if one["product"]["slug"] == slug)
    (item,) = parse_catalog([document])
    assert isinstance(item, CatalogItem)
    return item


@pytest.mark.parametrize("slug", SLUGS)
def test_needs_by_party_section_and_role_are_those_among_all_needs(slug: str, owner: Any) -> None:
    draft = factories.again(Drafter(random.Random(f"{slug} 0"), owner).make(item_of(slug)))
    needs, counts = draft.needs, NeedCounts(draft)
    assert needs
    for row in draft.parties:
        own = [need for need in needs if need.party_id == row.token]
        assert list(draft.needs_of_party(row.token)) == own
        assert counts.by_party[row.token].total() == len(own)
        missing = [slot.name for slot in draft.missing_documents(row)]
        assert missing == [need.slot for need in own if need.code == "document"]
    for section in draft.schema.sections:
        assert draft.needs_of_section(section.key) == tuple(need for need in needs if need.section == section.key)
    for section in draft.schema.role_sections:
        of_role = [need for need in needs if need.section == section.key and need.party_id is None]
        assert list(counts.needs_of_role(section)) == of_role
        holders = {row.token for row in draft.parties if section.role in row.roles}
        assert counts.codes_in(section).total() == sum(need.party_id in holders for need in needs)


def test_a_change_is_seen_in_the_same_draft(draft: Draft, owner: Any) -> None:
    for number in range(3):
        services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token=f"p{number}")
    assert draft.parties
    services.remove_party(draft, draft.party("p1"), by=owner)
    services.add_party(draft, "corporate", ["shareholder"], {}, by=owner, token="p3")
    assert [(row.token, row.kind, row.roles) for row in draft.parties] == [
        ("p0", "person", ("director",)),
        ("p2", "person", ("director",)),
        ("p3", "corporate", ("shareholder",)),
    ]
    assert [row.token for row in draft.removed_parties] == ["p1"]
    for name in ("first.pdf", "second.pdf"):
        services.add_document(draft, draft.parties[0], "Passport", factories.upload(name=name), by=owner)
        assert draft.documents_of(draft.parties[0])["Passport"].name == name
    services.remove_document(draft, draft.documents[0], by=owner)
    assert draft.documents_of(draft.parties[0]) == {}


def test_a_save_that_changes_nothing_keeps_what_was_evaluated(complete: Draft, owner: Any) -> None:
    evaluated = complete.form_state
    section, party = complete.schema.entity_sections[0], complete.parties[0]
    services.save_section(complete, section, complete.raw(section), version=complete.version(section.key), by=owner)
    services.save_party(complete, party, party.raw, version=party.version, by=owner)
    assert complete.form_state is evaluated
    services.save_party(complete, party, {"person.first_name": "Augusta"}, version=party.version, by=owner)
    assert complete.form_state is not evaluated
