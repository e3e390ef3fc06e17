"""Controls: their names and ids, what they offer, and their markup.

Markup is safe by construction: whatever comes from outside passes `escape`, of the standard library, since Django's own
takes four times as long, and a long form calls it a thousand times.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Protocol
from urllib.parse import quote, unquote

from django.utils.safestring import SafeString, mark_safe

from formation_portal.contract.fields.base import FieldSpec, quote_key


class Selectable(Protocol):
    """One thing that can be chosen, in whatever class it comes."""

    @property
    def value(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def chosen(self) -> bool: ...

    @property
    def alone(self) -> bool: ...


def attributes(**values: str) -> str:
    """Attributes that have a value, each after a space; an underscore in a name stands for a hyphen."""
    return "".join(f' {name.replace("_", "-")}="{escape(value)}"' for name, value in values.items() if value)


def markup(safe: str) -> SafeString:
    """The one place where text is declared to be markup: everything that came from outside was escaped on the way."""
    return mark_safe(safe)  # noqa: S308  # see above


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen."""

    value: str
    label: str
    chosen: bool
    # Whether it excludes every other one.
    alone: bool = False
    # What stands below the label; the portal's own words or the schema's.
    help: str = ""
    is_ours: bool = False


def as_options(labels: Iterable[tuple[str, str]], chosen: str) -> tuple[Option, ...]:
    """Each with its value and its label; the one that has the value `chosen` is chosen."""
    return tuple(Option(value, label, value == chosen) for value, label in labels)


@dataclass(frozen=True, slots=True)
class FilterControl:
    """A control of a filter (ui/filter.html): a list, where there are choices; else an input of some type, or what goes
    along unseen."""

    name: str
    label: str = ""
    value: str = ""
    type: str = "search"
    choices: tuple[Option, ...] = ()
    is_hidden: bool = False
    # Leads to where it is typed.
    key: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of an error summary: the id of the control and the words that stand at it."""

    id: str
    text: str


def slot_key(token: str | None, name: str) -> str:
    """What a form posts to name a slot: the party's token and the slot's own name."""
    return f"{token or ''}/{name}"


def slot_name(key: str) -> str:
    """The slot's own name."""
    return key.partition("/")[2]


def slot_id(key: str) -> str:
    """The id of the slot's file control; in a page's one form also the control's name."""
    return f"slot:{control_id(quote(key))}"


def slot_name_of_control(control: str) -> str:
    """The slot's own name, by the control in a page's one form."""
    return slot_name(unquote(control))


def control_id(control: str) -> str:
    """The id that goes with a control's name. Without a hyphen, so that no key can look like `<id>-hint` of another."""
    return control.replace("-", "%2D")


def party_control(spec: FieldSpec) -> str:
    """A control of a party's page: by the answer's name, since two roles may use one key for two answers."""
    return f"q:{quote_key(spec.name)}"
