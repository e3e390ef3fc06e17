"""Opening a draft, and what it says."""

import re
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.fields import new_reference
from formation_portal.applications.models import Application
from tests import factories


@pytest.mark.parametrize("parties", [0, 1, 12])
def test_each_table_is_read_once_however_many_parties_are_asked_for_one_by_one(
    draft: Draft, owner: Any, parties: int, django_assert_num_queries: Any
) -> None:
    share_class = factories.new_share_class(draft, factories.ORDINARY, by=owner)
    tokens = [f"p{number}" for number in range(parties)]
    for token in tokens:
        party = services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=owner, token=token)
        services.save_holdings(draft, {(token, share_class.token): "5"}, by=owner)
        services.add_document(draft, party, "Passport", factories.upload(), by=owner)
    application = Application.objects.get(pk=draft.application.pk)
    with django_assert_num_queries(5):
        opened = open_draft(application)
        for token in tokens:
            party = opened.party(token)
            assert opened.documents_of(party).keys() == {"Passport"}
            assert opened.holdings_of(token).keys() == {(token, share_class.token)}
            assert opened.needs_of_party(token) == tuple(need for need in opened.needs if need.party_id == token)
        assert len(opened.record.parties) == parties
        assert opened.needs


TABLES = ("documents", "holdings", "section_answers", "share_classes", "parties")


@pytest.mark.parametrize("prefetched", [(), TABLES], ids=["read when used", "prefetched"])
def test_every_table_is_read_again_after_a_reload(owner: Any, prefetched: tuple[str, ...]) -> None:
    number = factories.varied_draft(owner).application.pk
    opened = open_draft(Application.objects.prefetch_related(*prefetched).get(pk=number))

    def lengths() -> list[int]:
        rows = (opened.documents, opened.holdings, opened.sections, opened.share_class_models, opened.party_models)
        return [len(table) for table in rows]

    assert lengths() == [3, 4, 3, 3, 3]
    other = Application.objects.get(pk=number)
    for table in TABLES:
        getattr(other, table).all().delete()
    assert lengths() == [3, 4, 3, 3, 3], "each table is read once"
    opened.reload()
    assert lengths() == [0, 0, 0, 0, 0]


def test_a_draft_keeps_the_schema_that_it_was_started_with(application: Application, owner: Any) -> None:
    newer = factories.product(schema=factories.SCHEMA | {"version": "4", "sections": factories.SCHEMA["sections"][:1]})
    assert open_draft(services.start(owner=owner, product=newer)).schema.version == "4"
    assert open_draft(Application.objects.get(pk=application.pk)).schema.version == "3"


def test_a_reference_can_be_read_aloud_and_not_guessed() -> None:
    references = {new_reference() for _ in range(200)}
    assert len(references) == 200
    assert all(re.fullmatch(r"FP(-[0-9A-HJKMNP-TV-Z]{4}){3}", reference) for reference in references)


def test_only_its_customer_finds_an_application(application: Application, owner: Any, other_customer: Any) -> None:
    assert list(Application.objects.visible_to(owner)) == [application]
    assert not Application.objects.visible_to(other_customer).exists()
    assert not Application.objects.submitted().exists()
