"""An application of the small product whose classes say how many shares they have."""

from typing import Any

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract import canonical
from tests import factories

AT_MOST = factories.field("maximum_shares", "number", canonical_field=canonical.CLASS_SHARES, required=False)


def with_section(scope: str, **more: Any) -> dict[str, Any]:
    """The small product's schema with something more in one of its sections."""
    sections = [section | more if section["scope"] == scope else section for section in factories.SCHEMA["sections"]]
    return factories.SCHEMA | {"sections": sections}


def limited(owner: Any, *, at_most: str = "10,000", schema: dict[str, Any] | None = None, **changes: Any) -> Draft:
    """Ada and Kestrel, who hold nothing yet; a class of so many ordinary shares, and one that doesn't say.

    `changes` are those of the product.
    """
    schema = schema or with_section("share_structure", fields=[AT_MOST])
    draft = factories.new_draft(owner, schema=schema, **changes)
    services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=owner)
    services.add_party(draft, "corporate", ["shareholder"], {"corporate.name": "Kestrel B.V."}, by=owner)
    services.add_share_class(draft, factories.ORDINARY | {canonical.CLASS_SHARES: at_most}, by=owner)
    services.add_share_class(draft, factories.ORDINARY | {"share_class.name": "Preferred"}, by=owner)
    return draft


def hold(draft: Draft, owner: Any, *rows: tuple[str, ...]) -> None:
    """Give each party its numbers, class by class, as typed."""
    typed = {
        (party.token, one.token): number
        for party, numbers in zip(draft.parties, rows, strict=False)
        for one, number in zip(draft.share_classes, numbers, strict=False)
    }
    services.save_holdings(draft, typed, by=owner)
