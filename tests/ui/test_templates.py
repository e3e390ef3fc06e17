"""Read the source of every template: what no page may leave out, whatever is drawn on it."""

import re
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2] / "templates"
# Their view takes a post from any page: the choice of a theme or a language is no secret and does no harm.
_WITHOUT_A_TOKEN = {"portal/site/display.html", "ui/display.html"}
_POSTED_FORM = re.compile(r"<form\b[^>]*\bmethod=\"post\".*?</form>", re.DOTALL | re.IGNORECASE)


def _templates() -> Iterator[tuple[str, str]]:
    for path in sorted(_ROOT.rglob("*.html")):
        yield path.relative_to(_ROOT).as_posix(), path.read_text()


def test_forms_that_post_carry_a_token() -> None:
    for name, text in _templates():
        for form in _POSTED_FORM.findall(text):
            assert "{% csrf_token %}" in form or name in _WITHOUT_A_TOKEN, f"{name}: {form}"


def test_texts_are_escaped_but_for_the_help_of_our_own_forms() -> None:
    places = [name for name, text in _templates() for _ in re.findall(r"\|\s*safe\b|autoescape off", text)]
    # The help texts of Django's own forms have links, and are written in the code.
    assert places == ["ui/form_fields.html"]
