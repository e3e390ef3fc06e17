"""One answer read back in words."""

from collections.abc import Iterable, Mapping
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Holding
from formation_portal.contract.field import Choice, FieldSpec
from formation_portal.contract.language import figure
from formation_portal.contract.notation import shown
from formation_portal.contract.problems import AnswerError


def in_words(spec: FieldSpec, typed: Any, share_classes: Iterable[Choice] = ()) -> str:
    """What was typed as it is read back; where it cannot be read, as it was typed."""
    try:
        value = spec.clean(typed)
    except AnswerError:
        return _plain(spec.shown(typed))
    if value is None:
        return ""
    if spec.refers_to_share_class:
        return next((one.label for one in share_classes if one.value == value), _plain(typed))
    return spec.display(value)


def _plain(typed: Any) -> str:
    if isinstance(typed, Mapping):
        return " ".join(str(part) for part in typed.values() if part)
    if isinstance(typed, list):
        return ", ".join(map(str, typed))
    return str(typed)


def share_class_choices(draft: Draft) -> tuple[Choice, ...]:
    """The classes defined so far, for questions that refer to one."""
    return tuple(Choice(row.token, row.label) for row in draft.share_classes)


def number_of_shares(holding: Holding) -> str:
    """10,000; where the number cannot be read, as it was typed."""
    return shown(str(holding.typed)) if holding.shares is None else figure(holding.shares)
