"""Applications of generated forms, and the pages on which their questions are answered."""

import copy
import random
from typing import Any

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from tests import factories

# Too many for buttons, so that they are drawn as a list.
_COLOURS = ("Red", "Green", "Blue", "White", "Black", "Amber", "Violet")


def has_many_rules(document: dict[str, Any]) -> bool:
    """Whether enough depends on enough for a sequence to move something."""
    fields = [spec for section in document["sections"] for spec in _fields(section)]
    return sum("depends_on" in spec for spec in fields) > 3


def _fields(section: dict[str, Any]) -> list[dict[str, Any]]:
    return [*section.get("fields", ()), *section.get("person_fields", ())]


def with_lists(document: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The same form, with some of its choices long enough for a list."""
    changed = copy.deepcopy(document)
    for section in changed["sections"]:
        for spec in _fields(section):
            if spec["field_type"] == "select" and chance.random() < 0.3:
                spec["options"] = list(_COLOURS)
    return changed


def pages_of(document: dict[str, Any], owner: Any) -> list[str]:
    """A new application of the form: the addresses of its sections, of a party a role and one in all, of a class."""
    application = services.start(owner=owner, product=factories.product(schema=document))
    draft = open_draft(application)
    sections = [f"sections/{section.key}/" for section in draft.schema.entity_sections]
    roles = [str(section.role) for section in draft.schema.role_sections]
    for held in [[role] for role in roles] + ([roles] if len(roles) > 1 else []):
        services.add_party(draft, "person", held, {}, by=owner)
    parties = [f"people/{row.token}/" for row in draft.parties]
    if draft.holds_shares:
        services.add_share_class(draft, {}, by=owner)
    classes = [f"shares/classes/{row.token}/" for row in draft.share_classes]
    return [f"/applications/{application.reference}/{page}" for page in (*sections, *parties, *classes)]
