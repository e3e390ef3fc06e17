"""The record of processing names every table that says something of a person (privacy/processing.yaml)."""

from pathlib import Path

import pytest
import yaml
from django.apps import apps

import formation_portal.core
import formation_portal.privacy
from formation_portal.core.encrypted_fields import encrypted_fields

pytestmark = pytest.mark.django_db(databases=["default", "service"])

RECORD = yaml.safe_load((Path(formation_portal.privacy.__file__).parent / "processing.yaml").read_text())
_CLASSES = yaml.safe_load((Path(formation_portal.core.__file__).parent / "data_classes.yaml").read_text())
# Confirmations go by signed links, which no row keeps; the names of secrets and refusals are nobody's.
_NOBODY = {"account.EmailConfirmation", "nodes.Secret", "mfa.Authenticator"}
_PERSONAL = {"account", "session"}


def test_every_table_with_personal_data_is_in_the_record() -> None:
    personal = {
        model._meta.label
        for model in apps.get_models()
        if encrypted_fields(model) or _PERSONAL & set(_CLASSES.get(model._meta.label, {}).values())
    }
    assert personal - _NOBODY - RECORD.keys() == set()
    assert RECORD.keys() - personal == {"sessions.Session"}
