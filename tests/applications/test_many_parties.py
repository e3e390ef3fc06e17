"""Counts of what all parties need, and what one needs, without reading the others: as judging everybody says."""

import random
from collections import Counter
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.contacts import duplicate_of, identity_of
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Party
from formation_portal.applications.summaries import Totals, update_summaries
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.core import subscribers
from tests import factories
from tests.agreement.drafting import Drafter
from tests.embedded_catalog import catalog_items
from tests.encrypted_rows import update_each

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SLUGS = ("bvi-limited-company", "delaware-llc", "ch-foundation", "nevis-ibc", "gmbh-zug")


def reopened(draft: Draft, **more: Any) -> Draft:
    return open_draft(Application.objects.get(pk=draft.application.pk), **more)


def item_of(slug: str) -> CatalogItem:
    document = next(one for one in catalog_items() if one["product"]["slug"] == slug)
    (item,) = parse_catalog([document])
    assert isinstance(item, CatalogItem)
    return item


def assert_counts_agree(draft: Draft) -> None:
    """Whatever is counted in the database is what the list of needs holds."""
    totals, whole = Totals(reopened(draft, today=draft.today)), reopened(draft, today=draft.today)
    needed = whole.needs
    assert totals.count == len(needed)
    assert totals.missing_documents == Counter(need.section for need in needed if need.code == "document")
    assert totals.slots == sum(len(whole.form_state.slots(one)) for one in (None, *whole.record.parties))
    assert totals.uploaded == len(whole.documents)
    slots = [slot for one in (None, *whole.record.parties) for slot in whole.form_state.slots(one)]
    assert totals.required_slots == sum(slot.required for slot in slots)
    for section in whole.schema.role_sections:
        assert totals.parties_in(section) == len(whole.form_state.parties_in(section))
        own = tuple(need for need in needed if need.section == section.key and need.party_id is None)
        assert totals.needs_of_role(section) == own
        holders = {party.id for party in whole.record.parties if section.role in party.roles}
        assert totals.codes_in(section) == Counter(need.code for need in needed if need.party_id in holders)
        lacking = {need.party_id for need in needed}
        assert totals.complete_in(section) == len(
            [party for party in whole.form_state.parties_in(section) if party.id not in lacking]
        )
    if share := whole.schema.share_section:
        of_shares = [need for need in needed if need.section == share.key]
        assert totals.of_shares == len(of_shares)
        assert totals.only_share_need == (of_shares[0].text if len(of_shares) == 1 else "")
    for row in whole.parties:
        assert totals.parties[row.token].codes == Counter(need.code for need in needed if need.party_id == row.token)
        alone = reopened(draft, today=draft.today)
        assert alone.needs_of_party(row.token) == tuple(need for need in needed if need.party_id == row.token)
        assert not alone.has_all_parties
    for section in whole.schema.entity_sections:
        alone = reopened(draft, today=draft.today)
        assert alone.needs_of_section(section.key) == tuple(one for one in needed if one.section == section.key)
        assert not alone.has_all_parties


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("slug", SLUGS)
def test_counts_are_those_of_judging_everybody(slug: str, seed: int, owner: Any) -> None:
    draft = Drafter(random.Random(f"{slug} {seed}"), owner).make(item_of(slug))
    assert_counts_agree(draft)
    update_summaries(reopened(draft))
    assert_counts_agree(draft)
    with patch("formation_portal.applications.summaries._needed") as needed:
        assert Totals(reopened(draft)).count == len(draft.needs)
    assert needed.call_count == 0


def test_each_change_leaves_summaries_that_hold(draft: Draft, owner: Any) -> None:
    """Also one of the entity that asks another role, and rows that somebody saves by themselves."""
    with patch.object(subscribers, "application_changed"):
        for number in range(4):
            raw = factories.ADA | {"person.last_name": f"No {number}"}
            services.add_party(draft, "person", ["director", "manager"], raw, by=owner, token=f"p{number}")
        assert_counts_agree(draft)
        for activity in ("Trading", "Holding company"):
            section = draft.schema.section("the-company")
            assert section is not None
            raw = {"xy.activity": activity}
            services.save_section(draft, section, raw, version=draft.version(section.key), by=owner)
            assert_counts_agree(draft)
        party = draft.parties[0]
        services.save_party(draft, party, {"xy.person.is_pep": ""}, version=party.version, by=owner)
        services.set_roles(draft, draft.parties[1], ["shareholder"], by=owner)
        services.remove_party(draft, draft.parties[2], by=owner)
        assert_counts_agree(draft)
        services.restore_party(draft, "p2", by=owner)
        services.add_share_class(draft, factories.ORDINARY, by=owner, token="ordinary")
        services.save_holdings(draft, {("p1", "ordinary"): "many"}, by=owner)
        assert_counts_agree(draft)
        services.save_party(
            draft, draft.parties[0], {"xy.person.appointed_by": "ordinary"}, version=draft.parties[0].version, by=owner
        )
        services.remove_share_class(draft, draft.share_classes[0], by=owner)
        assert_counts_agree(draft)
        for upload in (factories.upload(), factories.upload(name="another.pdf")):
            services.add_document(draft, draft.parties[0], "Passport", upload, by=owner)
            assert_counts_agree(draft)
        services.remove_document(draft, draft.documents[0], by=owner)
        assert_counts_agree(draft)
    model = Party.objects.get(token="p3")
    model.raw = {}
    model.save()
    assert_counts_agree(draft)


def test_a_date_of_birth_that_has_not_come_yet_is_judged_anew_when_it_has(draft: Draft, owner: Any) -> None:
    born = draft.today + timedelta(days=3)
    date = {"day": str(born.day), "month": str(born.month), "year": str(born.year)}
    services.add_party(draft, "person", ["director"], factories.ADA | {"person.date_of_birth": date}, by=owner)
    for days in (0, 3, 4):
        assert_counts_agree(reopened(draft, today=draft.today + timedelta(days=days)))


def test_a_change_of_one_party_judges_nobody_else(draft: Draft, owner: Any) -> None:
    for number in range(6):
        raw = factories.ADA | {"person.last_name": f"No {number}"}
        services.add_party(draft, "person", ["director"], raw, by=owner, token=f"p{number}")
    alone = reopened(draft)
    row = alone.party("p3")
    assert row is not None
    with patch("formation_portal.applications.summaries._needed", return_value=Counter()) as needed:
        services.save_party(alone, row, {"person.first_name": "Grace"}, version=row.version, by=owner)
    assert [call.args[1].token for call in needed.call_args_list] == ["p3"]
    assert not alone.has_all_parties


def test_a_second_entry_is_found_among_many_without_reading_them(draft: Draft, owner: Any) -> None:
    for number in range(6):
        raw = factories.ADA | {"person.last_name": f"No {number % 5}"}
        services.add_party(draft, "person", ["director"], raw, by=owner, token=f"p{number}")
    for token, other in (("p0", "p5"), ("p5", "p0"), ("p3", None)):
        alone = reopened(draft)
        row = alone.party(token)
        assert row is not None
        assert identity_of(alone, row) is not None
        found = duplicate_of(alone, row)
        assert (found.token if found else None) == other
        assert not alone.has_all_parties
    # What was changed past the summaries is found, too.
    update_each(Party.objects.filter(token="p3"), raw=factories.ADA | {"person.last_name": "No 4"}, judged_of=None)
    alone = reopened(draft)
    row = alone.party("p4")
    assert row is not None
    assert duplicate_of(alone, row) == alone.party("p3")


def test_whoever_asks_for_one_after_another_gets_all_at_once(draft: Draft, owner: Any) -> None:
    for number in range(30):
        services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token=f"p{number}")
    alone = reopened(draft)
    with CaptureQueriesContext(connection) as captured:
        assert [alone.documents_of(alone.party(f"p{number}")) for number in range(30)] == [{}] * 30
    assert len(captured) < 12


def test_the_roster_tells_who_there_is_without_reading_them_and_follows_each_change(draft: Draft, owner: Any) -> None:
    for number in range(3):
        services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token=f"p{number}")
    lean = reopened(draft)
    assert [one.token for one in lean.roster] == ["p0", "p1", "p2"]
    assert not lean.has_all_parties
    whole = reopened(draft)
    assert whole.parties
    assert whole.roster == lean.roster
    gone = lean.party("p1")
    assert gone is not None
    services.remove_party(lean, gone, by=owner)
    assert [one.token for one in lean.roster] == ["p0", "p2"]
    services.add_party(lean, "corporate", ["shareholder"], {}, by=owner, token="p3")
    assert [(one.token, one.kind, one.roles) for one in lean.roster] == [
        ("p0", "person", ("director",)),
        ("p2", "person", ("director",)),
        ("p3", "corporate", ("shareholder",)),
    ]


def test_numbers_of_shares_are_read_without_holdings_or_parties(draft: Draft, owner: Any) -> None:
    row = services.add_share_class(draft, factories.ORDINARY, by=owner)
    for number in range(4):
        services.add_party(draft, "person", ["shareholder"], factories.ADA, by=owner, token=f"p{number}")
    typed = {("p0", row.token): "1,000", ("p1", row.token): "many", ("p2", row.token): "7"}
    services.save_holdings(draft, typed, version=0, by=owner)
    gone = draft.party("p2")
    assert gone is not None
    services.remove_party(draft, gone, by=owner)
    lean, whole = reopened(draft), reopened(draft)
    assert lean.shares_held == {("p0", row.token): 1000, ("p1", row.token): None}
    assert not lean.has_all_parties
    assert "holdings" not in vars(lean)
    assert whole.parties
    assert whole.shares_held == lean.shares_held
