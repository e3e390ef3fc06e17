"""What a slot is called in posts and on pages."""

from urllib.parse import quote, unquote

from formation_portal.contract.field import FieldSpec, quoted


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


def anchor(control: str) -> str:
    """The id that goes with a control's name. Without a hyphen, so that no key can look like `<id>-hint` of another."""
    return control.replace("-", "%2D")


def party_control(spec: FieldSpec) -> str:
    """A control of a party's page: by the answer's name, since two roles may use one key for two answers."""
    return f"q:{quoted(spec.name)}"
