"""Encrypts the titles of cases and why they were taken over, and finds cases by digests of their words' beginnings."""

from itertools import islice

from django.db import migrations

from formation_portal.core.encrypted_fields import EncryptedTextField, encrypt_models, rows_in_order
from formation_portal.core.encryption import key_ring
from formation_portal.core.migration_operations import ChangeFields, RunPythonOnRows

_LONGEST, _DIGEST_BYTES, _AT_ONCE = 12, 10, 1000


def digest_words(apps, schema_editor):
    """In the place of each word, a digest of each of its beginnings."""
    alias, key = schema_editor.connection.alias, key_ring().first
    model = apps.get_model("desk", "CaseWord")
    rows = rows_in_order(model, alias)
    while some := list(islice(rows, _AT_ONCE)):
        made = set()
        for row in some:
            word = bytes(row.word).decode()[:_LONGEST]
            made |= {(row.case_id, key.digest(word[:length])[:_DIGEST_BYTES]) for length in range(1, len(word) + 1)}
        old = model.objects.using(alias).filter(pk__in=[row.pk for row in some])
        old.delete()
        new = [model(case_id=case, word=word) for case, word in sorted(made)]
        model.objects.using(alias).bulk_create(new, batch_size=_AT_ONCE, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [
        ("desk", "0014_products_with_places"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        ChangeFields(
            case={
                "title": EncryptedTextField(blank=True, bound_to=("application_id",), max_length=300),
                "word": EncryptedTextField(blank=True, bound_to=("application_id",), max_length=200),
            },
        ),
        encrypt_models("desk", "case"),
        # No word can be made of a digest: words are written anew with what is saved next.
        RunPythonOnRows("caseword", code=digest_words, reverse_code=migrations.RunPython.noop),
    ]
