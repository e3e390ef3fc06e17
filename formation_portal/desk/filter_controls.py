"""The controls that narrow a list of the desk, as ui/filter.html draws them."""

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
