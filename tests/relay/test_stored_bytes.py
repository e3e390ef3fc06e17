"""What a stolen database or disk says of an application that went the whole way: nothing that anybody typed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.apps import apps
from django.db import connections, models, router

import formation_portal.core
from formation_portal.applications.draft import Draft
from formation_portal.relay.worker import drain
from tests import factories
from tests.reviews.canaries import ASKED, NOTES, WORDS, Review

pytestmark = pytest.mark.django_db(databases=["default", "service"])

_CLASSES = yaml.safe_load((Path(formation_portal.core.__file__).parent / "data_classes.yaml").read_text())
# An account's name and address are plain (core/README.md); the form's and the catalog's words are nobody's.
_MAY_BE_PLAIN = {"account", "form", "staff"}


def typed_words(draft: Draft) -> set[str]:
    """Every answer that is long enough not to stand in a database by chance, but for codes of a choice."""
    holders = [*(row.raw for row in draft.sections.values()), *(party.raw for party in draft.parties)]
    texts = {one.lower() for raw in holders for one in _texts(raw) if len(one) >= 5}
    return (
        texts - {"false"} - {code.lower() for spec in draft.schema.entity_fields for code in getattr(spec, "codes", ())}
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def stored(model: type[models.Model]) -> Iterator[tuple[str, str]]:
    """Each column with all that it holds, in lower case."""
    connection, plain = connections[router.db_for_read(model)], _CLASSES.get(model._meta.label, {})
    for field in model._meta.concrete_fields:
        if plain.get(field.name) not in _MAY_BE_PLAIN:
            with connection.cursor() as cursor:
                cursor.execute(f'SELECT "{field.column}" FROM "{model._meta.db_table}"')
                values = (bytes(one) if isinstance(one, memoryview) else one for (one,) in cursor.fetchall())
                yield f"{model._meta.label}.{field.name}", " ".join(map(str, values)).lower()


def files_below(*folders: Any) -> Iterator[tuple[Path, bytes]]:
    for folder in folders:
        yield from ((path, path.read_bytes()) for path in Path(folder).rglob("*") if path.is_file())


def test_no_database_and_no_file_has_a_word_of_it(complete: Draft, owner: Any, settings: Any) -> None:
    settings.FOUR_EYES = True
    words = typed_words(complete)
    review = Review(complete, owner)
    review.look()
    drain()
    review.give_back()
    review.answer()
    review.approve()
    drain()
    words |= {
        "lovelace",
        "ada.pdf",
        ASKED.lower(),
        NOTES.lower(),
        *(word for word in WORDS if word.startswith("canary")),
    }
    assert len(words) > 12
    found = [
        (column, word)
        for model in apps.get_models()
        for column, text in stored(model)
        for word in words
        if word in text
    ]
    assert found == []
    content = factories.PDF
    kept = [*files_below(settings.MEDIA_ROOT, settings.SERVICE_DOCUMENTS, settings.FILE_UPLOAD_TEMP_DIR)]
    assert kept
    assert [path for path, stored_bytes in kept if content[:200] in stored_bytes] == []
