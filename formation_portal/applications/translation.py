"""An application's form and product in the reader's language, as far as the formation service speaks it.

What is stored stays: a schema version is kept once, as the service sent it. Pages, letters and records draw with the
words of `in_language` over it; what is written down keeps `stored_words` (contract/localisation.py). Where words come
from is told once, at the start, since this package knows no service.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings

from formation_portal.contract.fields.parsing import text_or_none
from formation_portal.contract.localisation import TranslatedText, get_language
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.translation import translated_form

# By language and by the id of a schema or of a product: the catalog's item as the service says it, or None.
FindItem = Callable[[str, str], Mapping[str, Any] | None]


def _nowhere(language: str, key: str) -> Mapping[str, Any] | None:
    return None


_find_item: FindItem = _nowhere


def set_catalog_words(find_item: FindItem) -> None:
    """Say where the catalog's words in other languages are. Called once, at the start; the call makes no request."""
    global _find_item
    _find_item = find_item


def in_language(form: FormSchema, language: str = "") -> FormSchema:
    """The form with the words of the language, by default the reader's; worked out once and kept with the form."""
    kept, language = form.original, language or get_language()
    theirs = _document_in(language, kept.id, kept.version) or kept.other_documents.get(language)
    if not isinstance(theirs, Mapping):
        return kept
    known = kept.translations.get(language)
    if known is None or known[0] is not theirs:
        known = kept.translations[language] = (theirs, translated_form(kept, theirs, language))
    return known[1]


def form_translations(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same version of a form as the service says it in each other language, as far as that is known here."""
    key, version = str(document.get("id") or ""), str(document.get("version") or "")
    found = ((code, _document_in(code, key, version)) for code, _ in settings.LANGUAGES)
    return {code: dict(theirs) for code, theirs in found if theirs is not None}


def _document_in(language: str, key: str, version: str) -> Mapping[str, Any] | None:
    """The schema of this id and version as the service says it in the language now."""
    theirs = (_find_item(language, key) or {}).get("schema") if key else None
    is_same = isinstance(theirs, Mapping) and str(theirs.get("version") or "") == version
    return theirs if is_same else None


def product_words(product_id: str, product: Mapping[str, Any], *path: str) -> str:
    """A text of the kept product, like its name, in the reader's language."""
    stored, language = _text_at(product, path), get_language()
    said = _text_at(_find_item(language, product_id), path) if stored else ""
    is_said = said and (said != stored or len(stored.split()) == 1)
    return TranslatedText(said, language=language, stored=stored) if is_said else stored


def _text_at(value: Any, path: tuple[str, ...]) -> str:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return text_or_none(value) or ""
