"""What the forms of the desk have in common: the controls of a filter, and the lines of an error summary."""

from dataclasses import dataclass

from formation_portal.ui.forms.controls import Option


@dataclass(frozen=True, slots=True)
class FilterControl:
    """A list, where there are choices; else an input of some type, or what goes along unseen."""

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
    """One line of the error summary: the id of the control and the words that stand at it."""

    id: str
    text: str
