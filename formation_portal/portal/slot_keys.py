"""What a slot is called in posts and on pages."""

from urllib.parse import quote, unquote

from .questions import anchor


def slot_key(token: str | None, name: str) -> str:
    """What a form posts to name a slot: the party's token and the slot's own name."""
    return f"{token or ''}/{name}"


def name_in(key: str) -> str:
    """The slot's own name."""
    return key.partition("/")[2]


def slot_id(key: str) -> str:
    """The id of the slot's file control; in a page's one form also the control's name."""
    return f"slot:{anchor(quote(key))}"


def name_of(control: str) -> str:
    """The slot's own name, by the control in a page's one form."""
    return name_in(unquote(control))
