"""Read and write the queries of URLs."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from django.utils.http import urlencode

# No reference or name is longer.
_MAX_LENGTH = 200
Value = TypeVar("Value")


def read_text(query: Mapping[str, str], name: str) -> str:
    return " ".join(query.get(name, "").replace("\x00", "").split())[:_MAX_LENGTH]


def read_choice(value: Value, choices: Sequence[Value]) -> Value:
    """Return the value if it is one of the choices, else the first choice."""
    return value if value in choices else choices[0]


def query_string(parameters: Mapping[str, object]) -> str:
    """Return the query of a URL with its question mark, without empty values; "" if all are empty."""
    query = urlencode({name: str(value) for name, value in parameters.items() if value})
    return f"?{query}" if query else ""
