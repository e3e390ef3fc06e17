"""An application of the small product whose classes say how many shares they have."""

from typing import Any

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft, open_draft
from formation_portal.contract import canonical
from tests.applications import made

AT_MOST = made.field("maximum_shares", "number", canonical_field=canonical.CLASS_SHARES, required=False)


def with_section(scope: str, **more: Any) -> dict[str, Any]:
    """The small product's schema with something more in one of its sections."""
    sections = [section | more if section["scope"] == scope else section for section in made.SCHEMA["sections"]]
    return made.SCHEMA | {"sections": sections}


def limited(owner: Any, *, at_most: str = "10,000", schema: dict[str, Any] | None = None) -> Draft:
    """Ada and Kestrel, who hold nothing yet; a class of so many ordinary shares, and one that doesn't say."""
    schema = schema or with_section("share_structure", fields=[AT_MOST])
    draft = open_draft(saving.start(owner=owner, product=made.product(schema=schema)))
    saving.add_party(draft, "person", ["director", "shareholder"], made.ADA, by=owner)
    saving.add_party(draft, "corporate", ["shareholder"], {"corporate.name": "Kestrel B.V."}, by=owner)
    saving.add_share_class(draft, made.ORDINARY | {canonical.CLASS_SHARES: at_most}, by=owner)
    saving.add_share_class(draft, made.ORDINARY | {"share_class.name": "Preferred"}, by=owner)
    return draft


def hold(draft: Draft, owner: Any, *rows: tuple[str, ...]) -> None:
    """Give each party its numbers, class by class, as typed."""
    typed = {
        (party.token, one.token): number
        for party, numbers in zip(draft.parties, rows, strict=False)
        for one, number in zip(draft.share_classes, numbers, strict=False)
    }
    saving.save_holdings(draft, typed, by=owner)
