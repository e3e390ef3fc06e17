"""The button that allauth's own pages draw by `element`."""

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
