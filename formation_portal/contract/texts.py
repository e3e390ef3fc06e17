"""Models that a service describes in words, and the language that each of their texts is in."""

from collections.abc import Iterable
from typing import Any, Self

from pydantic import BaseModel, PrivateAttr


class DescribedModel(BaseModel):
    """A model whose texts are in the catalog's language or another; `language_of` tells which."""

    _original: Self | None = PrivateAttr(default=None)
    _language: str = PrivateAttr(default="")
    _translated_texts: frozenset[str] = PrivateAttr(default=frozenset())

    @property
    def original(self) -> Self:
        return self._original or self

    @property
    def translated_texts(self) -> frozenset[str]:
        """Return the texts of the model and its parts that are not in the language of the catalog."""
        return self._translated_texts

    def language_of(self, text: str) -> str:
        """Return the language of a text of the model or its parts; "" for the language of the catalog."""
        return self._language if text in self._translated_texts else ""

    def translated(self, language: str, translated_texts: Iterable[str], **changes: Any) -> Self:
        """Return a copy with changed fields, not validated again, and without cached properties."""
        copy = self.model_copy()
        for name in copy.__dict__.keys() - type(self).model_fields:
            del copy.__dict__[name]
        copy.__dict__.update(changes)
        copy._original = self.original
        copy._language = language
        copy._translated_texts = frozenset(translated_texts)
        return copy
