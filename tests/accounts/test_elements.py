"""What allauth's own pages draw by `element`: buttons, and boxes to tick."""

import pytest
from django.template import Context, Origin, Template

from tests.markup import Markup


def drawn(kind: str, content: str, attributes: dict[str, str]) -> Markup:
    words = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    source = f"{{% load allauth %}}{{% element {kind} {words} %}}{content}{{% endelement %}}"
    return Markup(Template(source, origin=Origin(kind, template_name=f"{kind}.html")).render(Context()))


def test_a_button_has_each_attribute_that_it_is_given() -> None:
    attributes = {"form": "answers", "id": "send", "name": "action", "value": "again", "type": "submit"}
    button = drawn("button", "Send", attributes).one("button")
    assert (button.attributes, button.text) == (attributes | {"class": "button"}, "Send")


@pytest.mark.parametrize("kind", ["checkbox", "radio"])
@pytest.mark.parametrize("state", ["checked", "disabled", ""])
def test_a_choice_is_as_the_form_has_it(kind: str, state: str) -> None:
    given = {"type": kind, "id": "pick", "name": "pick", "value": "7"}
    label = "{% slot label %}Pick it{% endslot %}"
    box = drawn("field", label, given | ({state: "True"} if state else {})).one("input")
    assert box.attributes == given | ({state: ""} if state else {})
