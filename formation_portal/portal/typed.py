"""What stands in a form that was posted and not saved, as whoever typed it recognises it."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

_QUESTION = "q:"


@dataclass(frozen=True, slots=True)
class Typed:
    """One thing that was typed, to be recognised."""

    name: str
    value: str


def typed_in(controls: Iterable[tuple[str, Iterable[str]]]) -> tuple[Typed, ...]:
    """The answers among the controls of a form, each with its values; what is blank is left out."""
    answers = ((name, ", ".join(value for value in values if value)) for name, values in controls)
    return tuple(
        Typed(unquote(name.removeprefix(_QUESTION)), text)
        for name, text in answers
        if name.startswith(_QUESTION) and text
    )
