"""Makes the cases of what was submitted before the desk kept any, with the words that find them."""

from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

from formation_portal.contract.schema import FormSchema
from formation_portal.desk.recording import case_words, facts_of, party_names, title_of

_AT_ONCE = 200


def make_cases(apps: StateApps, _editor: Any) -> None:
    """Some at a time: an application's answers may be long."""
    submitted = apps.get_model("applications", "Application").objects.filter(deleted_at=None).exclude(submitted_at=None)
    schemas: dict[str, FormSchema] = {}
    last = 0
    while found := list(_whole(submitted.filter(pk__gt=last).order_by("pk"))[:_AT_ONCE]):
        _make(apps, found, schemas)
        last = found[-1].pk


def _whole(applications: Any) -> Any:
    return applications.select_related("owner").prefetch_related("section_answers", "parties", "documents")


def _make(apps: StateApps, applications: list[Any], schemas: dict[str, FormSchema]) -> None:
    case, word = apps.get_model("desk", "Case"), apps.get_model("desk", "CaseWord")
    cases, words = [], []
    for one in applications:
        if one.snapshot_id not in schemas:
            schemas[one.snapshot_id] = FormSchema.model_validate(one.snapshot.document)
        parties = [party for party in one.parties.all() if party.removed_at is None]
        title = title_of({name: value for row in one.section_answers.all() for name, value in row.raw.items()})
        there = {None, *(party.pk for party in parties)}
        documents = [paper for paper in one.documents.all() if paper.replaced_at is None and paper.party_id in there]
        facts = facts_of(one, title=title)
        cases.append(case(application=one, **facts, parties=len(parties), documents=len(documents)))
        names = party_names(schemas[one.snapshot_id], parties)
        words += [word(case_id=one.pk, word=text) for text in sorted(case_words(one, title=title, names=names))]
    case.objects.bulk_create(cases)
    word.objects.bulk_create(words, batch_size=1000)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_language"),
        ("applications", "0009_history_in_every_language"),
        ("desk", "0001_cases"),
    ]

    operations = [migrations.RunPython(make_cases, migrations.RunPython.noop)]
