"""The versions of form schemas: each stored once by digest, parsed once per process."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from formation_portal.contract.schema import FormSchema

from .models import SchemaVersion
from .translation import form_translations

# More than the products of any known catalog; a parsed schema takes some hundred kilobytes.
MAX_PARSED_SCHEMAS = 64


def keep_schema(document: Mapping[str, Any]) -> SchemaVersion:
    """Return the SchemaVersion of a schema document, saved if it is new, with any new translations."""
    translations = form_translations(document)
    values = {"document": dict(document), "translations": translations}
    version, is_new = SchemaVersion.objects.get_or_create(digest=schema_digest(document), defaults=values)
    if not is_new and not translations.keys() <= version.translations.keys():
        version.translations = {**version.translations, **translations}
        version.save(update_fields=["translations"])
    return version


def schema_digest(document: Mapping[str, Any]) -> str:
    """Return the digest of a schema document; equal content has an equal digest."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=MAX_PARSED_SCHEMAS)
def load_schema(digest: str) -> FormSchema:
    """Return the parsed schema with this digest. One SQL query, none if this process has cached it."""
    version = SchemaVersion.objects.get(digest=digest)
    form = FormSchema.model_validate(version.document)
    form.other_documents.update(version.translations)
    return form


class HomeSections:
    """The sections that store a schema's entity fields: for each field, the first section that has it."""

    def __init__(self, schema: FormSchema) -> None:
        self.of_fields: dict[str, str] = {}
        self.of_sections: dict[str, frozenset[str]] = {}
        for section in schema.entity_sections:
            for name in section.fields_by_name:
                self.of_fields.setdefault(name, section.key)
            self.of_sections[section.key] = frozenset(self.of_fields[name] for name in section.fields_by_name)
