"""Makes the cases of what was submitted before the desk kept any, with the words that find them.

What it needs stands here as it was then, so that no later change of the desk changes what this does.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

_AT_ONCE = 200
_WITH_US = ("submitted_for_review", "in_review")
_FINAL = ("incorporated", "rejected", "withdrawn")
_NAMES = ("name", "first_name", "middle_names", "last_name", "former_name", "legal_name")
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"})
_PIECE = re.compile(r"[^\W_]+")
_LONGEST_TITLE, _LONGEST_WORD = 300, 30


def make_cases(apps: StateApps, _editor: Any) -> None:
    """Some at a time: an application's answers may be long."""
    submitted = apps.get_model("applications", "Application").objects.filter(deleted_at=None).exclude(submitted_at=None)
    last = 0
    while found := list(_whole(submitted.filter(pk__gt=last).order_by("pk"))[:_AT_ONCE]):
        _make(apps, found)
        last = found[-1].pk


def _whole(applications: Any) -> Any:
    return applications.select_related("owner").prefetch_related("section_answers", "parties", "documents")


def _make(apps: StateApps, applications: list[Any]) -> None:
    case, word = apps.get_model("desk", "Case"), apps.get_model("desk", "CaseWord")
    cases, words = [], []
    for one in applications:
        parties = [party for party in one.parties.all() if party.removed_at is None]
        title = _title({name: value for row in one.section_answers.all() for name, value in row.raw.items()})
        there = {None, *(party.pk for party in parties)}
        documents = [paper for paper in one.documents.all() if paper.replaced_at is None and paper.party_id in there]
        cases.append(case(application=one, **_facts(one, title), parties=len(parties), documents=len(documents)))
        owner = one.owner
        texts = (title, *_names(parties), one.reference, owner.first_name, owner.last_name, owner.email)
        words += [word(case_id=one.pk, word=text) for text in sorted(_words(texts))]
    case.objects.bulk_create(cases)
    word.objects.bulk_create(words, batch_size=1000)


def _title(raw: dict[str, Any]) -> str:
    name = raw.get("entity.name")
    return name.strip() if isinstance(name, str) else ""


def _facts(application: Any, title: str) -> dict[str, Any]:
    at, is_with_us = application.submitted_at, application.state in _WITH_US
    return {
        "title": title[:_LONGEST_TITLE],
        "state": application.state,
        "submitted_at": at,
        "open_since": None if application.state in _FINAL else at,
        "waiting_since": at if is_with_us else None,
        "answered_since": at if is_with_us and application.submissions > 1 else None,
    }


def _names(parties: Iterable[Any]) -> Iterator[str]:
    """A party's answers are kept by what they are: `person.first_name`."""
    for party in parties:
        for name, value in party.raw.items():
            if name.rpartition(".")[2] in _NAMES and isinstance(value, str):
                yield value


def _words(texts: Iterable[str]) -> set[bytes]:
    """Each word without capitals and accents; those with hyphens or points also as one."""
    found: set[str] = set()
    for term in " ".join(map(_folded, texts)).split():
        pieces = _PIECE.findall(term)
        found.update((*pieces, "".join(pieces)))
    return {word[:_LONGEST_WORD].encode() for word in found if word}


def _folded(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    return "".join(letter for letter in unicodedata.normalize("NFKD", apart) if not unicodedata.combining(letter))


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_language"),
        ("applications", "0009_history_in_every_language"),
        ("desk", "0001_cases"),
    ]

    operations = [migrations.RunPython(make_cases, migrations.RunPython.noop)]
