"""What allauth's own pages draw by `element`: buttons, and boxes to tick."""

import pytest
from django.template import Context, Origin, Template

from tests.markup import Element, Markup


def drawn(tag: str, attributes: dict[str, str]) -> Element:
    words = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    source = f"{{% load allauth %}}{{% element button {words} %}}Send{{% endelement %}}"
    template = Template(source, origin=Origin("button", template_name="button.html"))
    return Markup(template.render(Context())).one(tag)


def test_a_button_has_each_attribute_that_it_is_given() -> None:
    attributes = {"form": "answers", "id": "send", "name": "action", "value": "again", "type": "submit"}
    button = drawn("button", attributes)
    assert button.attributes == attributes | {"class": "button"}
    assert button.text == "Send"


@pytest.mark.parametrize("kind", ["checkbox", "radio"])
@pytest.mark.parametrize("state", ["checked", "disabled", ""])
def test_a_choice_is_as_the_form_has_it(kind: str, state: str) -> None:
    more = f"{state}=True" if state else ""
    source = f"""{{% load allauth %}}{{% element field type="{kind}" id="pick" name="pick" value="7" {more} %}}
        {{% slot label %}}Pick it{{% endslot %}}{{% endelement %}}"""
    box = Markup(Template(source, origin=Origin("x", template_name="field.html")).render(Context())).one("input")
    given = {"type": kind, "id": "pick", "name": "pick", "value": "7"}
    assert box.attributes == given | ({state: ""} if state else {})
