"""What stands around every page is rendered once, and nobody sees what was rendered for somebody else."""

import re
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.template import Context, Template, TemplateSyntaxError
from django.test import Client
from django.utils.translation import override

from tests.factories import browser_of
from tests.words_shown import words_in

pytestmark = pytest.mark.django_db

COUNTED = "{% load fragments %}{% cached a=a %}{{ a }}{{ b }}{{ request }}{{ csrf_token }}{% endcached %}"


def _signed_in(first_name: str, **more: Any) -> Client:
    user = get_user_model().objects.create_user(f"{first_name.lower()}@example.com", first_name=first_name, **more)
    return browser_of(user)


def _page(client: Client, path: str = "/privacy/") -> str:
    return client.get(path).content.decode()


def test_a_cached_part_sees_nothing_but_its_values() -> None:
    template = Template(COUNTED)
    secrets = {"b": "secret", "request": "secret", "csrf_token": "secret"}
    assert template.render(Context({"a": "x", **secrets})) == "x"
    assert template.render(Context({"a": "<y>"})) == "&lt;y&gt;"


def test_a_cached_part_is_rendered_once_for_each_language() -> None:
    template = Template("{% load fragments %}{% cached %}{% page_language %}{% endcached %}")
    for language in ("en", "de", "en", "fr"):
        with override(language):
            assert template.render(Context()) == language
    with pytest.raises(TemplateSyntaxError):
        Template("{% load fragments %}{% cached user %}{% endcached %}")


def test_two_readers_see_their_own_frame() -> None:
    ada, mira, nobody = _signed_in("Ada"), _signed_in("Mira", is_agent=True), Client()
    for _ in range(2):
        pages = {"Ada": _page(ada), "Mira": _page(mira), "": _page(nobody)}
        for own, html in pages.items():
            assert words_in(html, ("Ada", "Mira")) == ([own] if own else [])
            assert ('href="/desk/"' in html) == (own == "Mira")
            assert ('href="/applications/"' in html) == bool(own)
            assert ('href="/accounts/login/"' in html) == (not own)


def test_each_page_has_its_readers_own_token() -> None:
    tokens = [
        re.findall(r'csrfmiddlewaretoken" value="(\w+)"', _page(client)) for client in map(_signed_in, ("A", "B"))
    ]
    assert all(tokens)
    assert set(tokens[0]).isdisjoint(tokens[1])


def test_each_page_marks_its_own_place() -> None:
    ada = _signed_in("Ada")
    for _ in range(2):
        for path, marked in (
            ("/", [("/", "page")]),
            ("/applications/", [("/applications/", "page")]),
            ("/applications/FP-0000-0000-0000/", [("/applications/", "true")]),
            ("/privacy/", []),
        ):
            masthead = _page(ada, path).partition("</header>")[0]
            assert re.findall(r'href="([^"]+)" aria-current="(\w+)"', masthead) == marked


def test_language_and_theme_are_the_readers() -> None:
    for _ in range(2):
        for language, theme in (("en", "light"), ("de", "dark"), ("en", "dark"), ("fr", "")):
            client = Client()
            client.cookies["language"], client.cookies["theme"] = language, theme
            html = _page(client)
            footer = html.partition("<footer")[2]
            assert f'<html lang="{language}"' in html
            assert (f'value="{theme}"' in footer) is False
            assert f'value="{language}"' not in footer
            assert {"en": "Glossary", "de": "Glossar", "fr": "Glossaire"}[language] in footer


def test_what_an_operator_changes_shows_at_once(settings: Any) -> None:
    assert "Kite" not in _page(Client())
    settings.OPERATOR_NAME, settings.HELP_EMAIL = "Kite & Sons", "help@kite.example"
    html = _page(Client())
    assert "Kite &amp; Sons" in html.partition("<header")[2].partition("</header>")[0]
    assert "help@kite.example" in html.partition("<footer")[2]
