"""The texts of a form and a product in the reader's language, if the formation service has them.

Pages show these; history and exports use the stored texts (`DescribedModel.original`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings

from formation_portal.contract.fields.parsing import text_or_none
from formation_portal.contract.localisation import get_language
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.translation import translated_form

# A function that returns a catalog item in a language, by the id of its schema or product.
FindItem = Callable[[str, str], Mapping[str, Any] | None]


def _find_nothing(language: str, key: str) -> Mapping[str, Any] | None:
    return None


_find_item: FindItem = _find_nothing


def set_catalog_texts(find_item: FindItem) -> None:
    """Set the function that finds catalog items in other languages without a request. Called once, at startup."""
    global _find_item
    _find_item = find_item


def in_language(form: FormSchema, language: str = "") -> FormSchema:
    """Return the form with the texts of a language, by default the reader's. The result is cached with the form."""
    original = form.original
    language = language or get_language()
    document = _form_document(language, original.id, original.version) or original.other_documents.get(language)
    if not isinstance(document, Mapping):
        return original
    cached = original.translations.get(language)
    if cached is None or cached[0] is not document:
        cached = (document, translated_form(original, document, language))
        original.translations[language] = cached
    return cached[1]


def form_translations(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a form's document in each language in which the service now has this version, by language."""
    translations = {}
    for language, _ in settings.LANGUAGES:
        translation = _form_document(language, str(document.get("id") or ""), str(document.get("version") or ""))
        if translation is not None:
            translations[language] = dict(translation)
    return translations


def _form_document(language: str, key: str, version: str) -> Mapping[str, Any] | None:
    """Return the schema of this id and version in a language; None if the service does not have it now."""
    item = _find_item(language, key) or {}
    document = item.get("schema")
    if key and isinstance(document, Mapping) and str(document.get("version") or "") == version:
        return document
    return None


def product_text(product: Mapping[str, Any], *path: str) -> str:
    value: Any = product
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return text_or_none(value) or ""


def translated_product_text(product_id: str, product: Mapping[str, Any], *path: str) -> str:
    """Return a text of a stored product in the reader's language, or "" where it is not translated."""
    stored = product_text(product, *path)
    text = product_text(_find_item(get_language(), product_id) or {}, *path)
    # A text of several words that is the same in both languages was not translated.
    if not stored or (text == stored and len(stored.split()) > 1):
        return ""
    return text
