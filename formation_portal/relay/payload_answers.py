"""Leave out of a payload the answers that can't be sent yet, and those that need not be sent again."""

from collections.abc import Collection
from typing import Any

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.rules import FieldLookup

from .models import Payload, ResourceName, referenced_name


def without_unsendable(payload: Payload, sendable: Collection[ResourceName]) -> Payload:
    """The payload without answers that refer to what cannot be sent yet: the other answers need not wait for it."""
    if "answers" not in payload:
        return payload
    answers = payload["answers"]
    unsendable = {
        name
        for name, value in answers.items()
        if isinstance(value, dict) and (reference := referenced_name(value)) and reference not in sendable
    }
    if not unsendable:
        return payload
    return payload | {"answers": {name: value for name, value in answers.items() if name not in unsendable}}


def without_cleaned_differences(payload: Payload, acknowledged: Payload | None, fields: FieldLookup) -> Payload:
    """Keep each acknowledged answer that differs from the payload's only by cleaning, so that it is not sent again."""
    before = (acknowledged or {}).get("answers", {})
    unchanged = {
        name: before[name]
        for name, value in payload.get("answers", {}).items()
        if name in before
        and before[name] != value
        and any(_reads_as(place.spec, before[name], value) for place in fields.asking_for(name))
    }
    return payload | {"answers": payload["answers"] | unchanged} if unchanged else payload


def _reads_as(spec: FieldSpec, acknowledged: Any, wanted: Any) -> bool:
    try:
        value = spec.clean(acknowledged)
    except AnswerError:
        return False
    return value is not None and bool(spec.payload(value) == wanted)
