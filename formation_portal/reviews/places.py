"""What a check, a remark or a note is about: one place of an application, as pages and tables name it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from django.db import models

from formation_portal.applications.models import document_subject


class Kind(models.TextChoices):
    """The kinds of places."""

    FIELD = "field", "Answer"
    DOCUMENT = "document", "Document"
    PARTY = "party", "Party"
    SECTION = "section", "Section"
    APPLICATION = "application", "Application"


@dataclass(frozen=True, slots=True)
class Place:
    """`holder` is a section's key or a party's or class's token, `name` a field's name or a document's slot.

    A document of the entity itself and the whole application have no holder; parties and sections have no name.
    """

    kind: Kind
    holder: str = ""
    name: str = ""

    @classmethod
    def of_field(cls, holder: str, name: str) -> "Place":
        """One answer of a section, party or share class."""
        return cls(Kind.FIELD, holder, _short(name))

    @classmethod
    def of_document(cls, holder: str, slot: str) -> "Place":
        """One document of a party, or of the entity itself."""
        return cls(Kind.DOCUMENT, holder, _short(slot))

    @classmethod
    def read(cls, text: str) -> "Place | None":
        """The place that a control names, or None where it names none."""
        parts = text.split(":")
        if len(parts) != len(("kind", "holder", "name")) or parts[0] not in Kind.values:
            return None
        return cls(Kind(parts[0]), unquote(parts[1]), unquote(parts[2]))

    @property
    def columns(self) -> dict[str, Any]:
        """As the tables keep it, each part by its column."""
        return {"kind": self.kind.value, "holder": self.holder, "name": self.name}

    def __str__(self) -> str:
        return ":".join((self.kind.value, quote(self.holder, safe=""), quote(self.name, safe="")))


def _short(name: str) -> str:
    """A name that fits into an index, shortened as documents' slots are."""
    return document_subject(None, name).removeprefix("/")


WHOLE = Place(Kind.APPLICATION)
