"""Leave out of a payload the answers that can't be sent yet, and those that need not be sent again."""

from collections.abc import Collection
from contextlib import suppress

from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.rules import FieldLookup

from .models import Payload, ResourceName, referenced_name


def without_unsendable(payload: Payload, sendable: Collection[ResourceName]) -> Payload:
    """Leave out answers that refer to resources that can't be sent yet: the other answers need not wait for them."""
    if "answers" not in payload:
        return payload
    answers = {}
    for name, value in payload["answers"].items():
        reference = referenced_name(value)
        if reference is None or reference in sendable:
            answers[name] = value
    return payload | {"answers": answers}


def without_cleaned_differences(payload: Payload, acknowledged: Payload | None, fields: FieldLookup) -> Payload:
    """Keep each acknowledged answer that differs from the new one only by cleaning, so that it is not sent again."""
    before = (acknowledged or {}).get("answers", {})
    unchanged = {}
    for name, value in payload.get("answers", {}).items():
        if name not in before or before[name] == value:
            continue
        for place in fields.asking_for(name):
            with suppress(AnswerError):
                cleaned = place.spec.clean(before[name])
                if cleaned is not None and place.spec.payload(cleaned) == value:
                    unchanged[name] = before[name]
    return payload | {"answers": payload["answers"] | unchanged} if unchanged else payload
