"""From which part on somebody is a beneficial owner, place by place: what `thresholds.yaml` says."""

from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from formation_portal.contract.language import month, say
from formation_portal.contract.ownership import Threshold

_FILE = Path(__file__).with_name("thresholds.yaml")


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    percent: float = Field(gt=0, lt=100)
    counts: Literal["from", "above"]
    source: str = Field(min_length=1)
    where: str = ""


class _Thresholds(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    seen: date
    general: _Entry
    places: dict[str, _Entry]


def threshold_of(jurisdiction: dict[str, Any]) -> Threshold:
    """The threshold of a catalog item's jurisdiction, by its ISO code; the general one where its own is not known."""
    known = _thresholds()
    own = known.places.get(str(jurisdiction.get("iso_code", "")))
    entry = own or known.general
    return Threshold(
        percent=Fraction(str(entry.percent)),
        is_inclusive=entry.counts == "from",
        where=say(entry.where) if entry.where else str(jurisdiction.get("name") or say("this jurisdiction")),
        source=say("{source}; checked {month}", source=entry.source, month=month(known.seen)),
        is_known=own is not None,
    )


@cache
def _thresholds() -> _Thresholds:
    return _Thresholds.model_validate(yaml.safe_load(_FILE.read_text(encoding="utf-8")))
