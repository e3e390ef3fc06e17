"""Every column is encrypted, or has a class that says why it may be plain (core/data_classes.yaml)."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from django.apps import apps
from django.db import models

import formation_portal.core
from formation_portal.core.encrypted_fields import encrypted_fields

_KNOWN: dict[str, Any] = yaml.safe_load((Path(formation_portal.core.__file__).parent / "data_classes.yaml").read_text())
CLASSES = _KNOWN.pop("classes")
# Columns of these say nothing by themselves.
_STRUCTURE = (
    models.AutoField,
    models.BooleanField,
    models.DateField,
    models.FloatField,
    models.ForeignKey,
    models.IntegerField,
    models.UUIDField,
)
MODELS = sorted(apps.get_models(include_auto_created=True), key=lambda model: model._meta.label)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_column_has_a_class(model: type[models.Model]) -> None:
    named = _KNOWN.get(model._meta.label, {})
    known = {field.name for field in encrypted_fields(model)}
    columns = {field.name: field for field in model._meta.concrete_fields}
    unnamed = {name for name, field in columns.items() if not isinstance(field, _STRUCTURE)} - known - named.keys()
    assert not unnamed, "encrypt it, or say in core/data_classes.yaml why it may be plain"
    assert not named.keys() - columns.keys(), "no such column"
    assert not named.keys() & known, "it is encrypted"


def test_every_class_is_explained_and_no_model_is_missing() -> None:
    assert {one for named in _KNOWN.values() for one in named.values()} <= CLASSES.keys()
    assert _KNOWN.keys() <= {model._meta.label for model in MODELS}
