"""`manage.py update_messages`: update the catalogs of translations, by Babel instead of the gettext tools."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from babel.messages import Catalog
from babel.messages.extract import extract, extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils.translation.template import templatize

from formation_portal.contract.canonical import role_count_messages
from formation_portal.ui.glossary import places, term_texts

PROJECT = Path(__file__).resolve().parents[3]
LOCALE = PROJECT / "formation_portal" / "locale"
ROLES = LOCALE / "roles.yaml"
TERMS = PROJECT / "formation_portal" / "ui" / "glossary" / "terms.yaml"

# The functions that mark a message in Python code: Django's, the contract's (contract/localisation.py,
# ui/formats.py), and the history's.
_KEYWORDS = {
    "gettext": None,
    "gettext_lazy": None,
    "_": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "gettext_noop": None,
    "note": None,
    "counted": (2, 3),
}

Message = str | tuple[str, ...]


class Command(BaseCommand):
    help = "Gather every message, update each language's catalog and list what is not translated yet."

    def handle(self, *args: Any, **options: Any) -> None:
        messages = gather_messages()
        for language in translated_languages():
            missing = untranslated(update_catalog(language, messages))
            self.stdout.write(f"{language}: {len(messages)} messages, {len(missing)} not translated")
            for message in missing:
                self.stdout.write(f"  {message}")


def translated_languages() -> list[str]:
    return [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def gather_messages() -> Catalog:
    messages = Catalog(charset="utf-8")
    for path in sorted((PROJECT / "formation_portal").rglob("*.py")):
        for _, message, _, _ in extract_from_file("python", path, keywords=_KEYWORDS):
            _add(messages, message, path)
    for role_name in yaml.safe_load(ROLES.read_text(encoding="utf-8")):
        _add(messages, role_name, ROLES)
        _add(messages, role_count_messages(role_name), ROLES)
    for term in term_texts().values():
        _add(messages, term.title, TERMS)
        _add(messages, term.meaning, TERMS)
    for place in places().values():
        _add(messages, place.name, TERMS)
    for path in sorted((PROJECT / "templates").rglob("*")):
        if path.suffix in (".html", ".txt"):
            for message in template_messages(path.read_text(encoding="utf-8")):
                _add(messages, message, path)
    return messages


def _add(messages: Catalog, message: Message, path: Path) -> None:
    if message and all(message):
        # Line numbers are left out, so that a catalog changes only when its messages do.
        messages.add(message, locations=[(str(path.relative_to(PROJECT)), 0)])


def template_messages(source: str) -> Iterator[Message]:
    """Yield the messages of a template, after Django has rewritten its tags as calls of `gettext`."""
    lines = map(str.strip, templatize(source).splitlines())
    for _, message, _, _ in extract("python", BytesIO("\n".join(lines).encode()), keywords=_KEYWORDS):
        yield message


def po_path(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def catalog_of(language: str) -> Catalog:
    path = po_path(language)
    if not path.exists():
        return Catalog(locale=language, charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language)


def update_catalog(language: str, messages: Catalog) -> Catalog:
    """Update the language's catalog to these messages, write and compile it."""
    catalog = catalog_of(language)
    messages.creation_date = catalog.creation_date
    catalog.update(messages, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    path = po_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalog, width=120, sort_output=True, include_lineno=False, ignore_obsolete=True)
    path.with_suffix(".mo").write_bytes(compile_catalog(catalog_of(language)))
    return catalog


def compile_catalog(catalog: Catalog) -> bytes:
    content = BytesIO()
    write_mo(content, catalog)
    return content.getvalue()


def untranslated(catalog: Catalog) -> list[str]:
    missing = []
    for message in catalog:
        forms = message.string if isinstance(message.string, tuple | list) else (message.string,)
        if message.id and not all(forms):
            missing.append(str(message.id))
    return missing
