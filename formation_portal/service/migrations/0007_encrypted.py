"""Encrypts answers, names of files, events and kept answers, and finds parties by digests of their words' beginnings."""

from django.db import migrations

from formation_portal.core.encrypted_fields import (
    EncryptedBinaryField,
    EncryptedJSONField,
    EncryptedTextField,
    encrypt_models,
    rows_in_order,
)
from formation_portal.core.encryption import key_ring
from formation_portal.core.migration_operations import ChangeFields, RunPythonOnRows

_LONGEST_WORD, _DIGITS = 16, 10


def digest_words(apps, schema_editor):
    """In the place of names and addresses, a digest of each beginning of their words."""
    alias, key = schema_editor.connection.alias, key_ring().first
    model = apps.get_model("service", "Party")
    for row in rows_in_order(model, alias):
        words = row.search_text.split()
        beginnings = {word[:length] for word in words for length in range(1, min(len(word), _LONGEST_WORD) + 1)}
        marks = sorted(f"|{key.digest(one).hex()[:_DIGITS]}" for one in beginnings)
        model.objects.using(alias).filter(pk=row.pk).update(search_text="".join(marks))


class Migration(migrations.Migration):
    dependencies = [
        ("service", "0006_keys_that_end"),
        ("nodes", "0002_field_keys"),
    ]

    operations = [
        migrations.RemoveField(
            model_name="party",
            name="label",
        ),
        ChangeFields(
            document={"name": EncryptedTextField(bound_to=("id",), max_length=255)},
            entity={
                "csp_data": EncryptedJSONField(bound_to=("id",), default=dict),
                "properties": EncryptedJSONField(bound_to=("id",), default=dict),
                "status_note": EncryptedTextField(blank=True, bound_to=("id",)),
            },
            event={"data": EncryptedJSONField(bound_to=("id",))},
            keptanswer={
                "body": EncryptedBinaryField(bound_to=("api_key_id", "idempotency_key"), default=bytes),
                "headers": EncryptedJSONField(bound_to=("api_key_id", "idempotency_key"), default=dict),
            },
            party={
                "csp_data": EncryptedJSONField(bound_to=("id",), default=dict),
                "properties": EncryptedJSONField(bound_to=("id",), default=dict),
            },
            shareclass={
                "csp_data": EncryptedJSONField(bound_to=("id",), default=dict),
                "properties": EncryptedJSONField(bound_to=("id",), default=dict),
            },
        ),
        encrypt_models("service", "document", "entity", "event", "keptanswer", "party", "shareclass"),
        # No word can be made of a digest: words are written anew with what is saved next.
        RunPythonOnRows("party", code=digest_words, reverse_code=migrations.RunPython.noop),
    ]
