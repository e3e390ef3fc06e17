"""Every kind of letter with sample data, for previews and for the tests that look at all of them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from .drawing import Drawn, draw


@cache
def samples() -> Mapping[str, Mapping[str, Any]]:
    """What each kind is given, in the order in which people meet the letters."""
    read: Mapping[str, Mapping[str, Any]] = yaml.safe_load((Path(__file__).parent / "samples.yaml").read_text())
    return read


def sample(kind: str, *, language: str) -> Drawn:
    """One kind, drawn with its sample data. Raises KeyError for a kind that there is not."""
    return draw(kind=kind, language=language, context=samples()[kind])
