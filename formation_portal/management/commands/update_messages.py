"""`manage.py update_messages`: extract all messages and update the catalogs of translations.

This uses Babel and Django's lexer, so that nobody needs the gettext tools.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from babel.messages import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management.base import BaseCommand
from django.template.base import Lexer, Token, TokenType
from django.utils.text import smart_split
from django.utils.translation import trim_whitespace
from django.utils.translation.template import block_re, constant_re, endblock_re, inline_re, plural_re

from formation_portal.contract.canonical import role_count_messages
from formation_portal.ui.glossary import places, term_texts

PROJECT = Path(__file__).resolve().parents[3]
LOCALE = PROJECT / "formation_portal" / "locale"
ROLES = LOCALE / "roles.yaml"
TERMS = PROJECT / "formation_portal" / "ui" / "glossary" / "terms.yaml"

# The functions that mark a message in Python: Django's, the contract's (contract/localisation.py, ui/formats.py), and
# the history's.
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
        # Without a line number, so that a catalog changes only with its messages.
        messages.add(message, locations=[(str(path.relative_to(PROJECT)), 0)])


def template_messages(source: str) -> Iterator[Message]:
    tokens = iter(Lexer(source).tokenize())
    for token in tokens:
        if token.token_type not in (TokenType.BLOCK, TokenType.VAR):
            continue
        if token.token_type is TokenType.BLOCK and block_re.match(token.contents):
            yield _block_message(token, tokens)
        elif token.token_type is TokenType.BLOCK and (inline := inline_re.match(token.contents)):
            yield _literal(inline[1])
        yield from map(_literal, constant_re.findall(token.contents))


def _literal(quoted: str) -> str:
    return quoted.strip("\"'").replace("%", "%%")


def _block_message(opening: Token, tokens: Iterator[Token]) -> Message:
    forms = [""]
    for token in tokens:
        if token.token_type is TokenType.BLOCK and endblock_re.match(token.contents):
            break
        if token.token_type is TokenType.BLOCK and plural_re.match(token.contents):
            forms.append("")
        elif token.token_type is TokenType.VAR:
            forms[-1] += f"%({token.contents})s"
        elif token.token_type is TokenType.TEXT:
            forms[-1] += token.contents.replace("%", "%%")
    if "trimmed" in smart_split(opening.contents):
        forms = [trim_whitespace(form) for form in forms]
    return tuple(forms) if len(forms) > 1 else forms[0]


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
