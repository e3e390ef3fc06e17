"""The button that allauth's own pages draw by `element`."""

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


@pytest.mark.parametrize(
    ("tags", "classes"),
    [
        ("", "button"),
        ("prominent", "button"),
        ("danger,delete", "button button-danger"),
        ("secondary", "button button-quiet"),
        ("outline", "button button-quiet"),
        ("link", "button button-quiet"),
    ],
)
def test_a_link_looks_like_a_button_of_its_kind(tags: str, classes: str) -> None:
    link = drawn("a", {"href": "/accounts/email/", "tags": tags})
    assert link.attributes == {"href": "/accounts/email/", "class": classes}
