"""What is announced when questions show or hide, by the script at once or by the server."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.template.loader import get_template
from django.utils import translation
from django.utils.translation import gettext

from formation_portal.portal.sections.changes import announcement
from formation_portal.service.catalog.loader import read_catalog
from tests.markup import Markup

ROOT = Path(__file__).parents[3]
LANGUAGES = [code for code, _ in settings.LANGUAGES]
# As long as what is heard may be (goal 21).
MOST = 100


def test_the_script_announces_in_the_words_of_the_server() -> None:
    words = get_template("portal/sections/_announcements.html").render()
    for count, form in ((1, "one"), (7, "other")):
        for moved, counts in (("added", {"added": count, "removed": 0}), ("removed", {"added": 0, "removed": count})):
            (written,) = re.findall(f'data-{moved}-{form}="([^"]+)"', words)
            assert written.replace("{n}", str(count)) == announcement(**counts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_that_come_and_go_are_told_in_under_a_hundred_characters(language: str) -> None:
    with translation.override(language):
        assert len(announcement(added=99, removed=99)) < MOST
        words = get_template("portal/sections/_announcements.html").render()
    attributes = dict(re.findall(r'data-(\w+-\w+)="([^"]+)"', words))
    assert len(attributes) == 4
    for form in ("one", "other"):
        both = f"{attributes[f'added-{form}']} {attributes[f'removed-{form}']}".replace("{n}", "99")
        assert len(both) < MOST, both


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_told_of_a_file_or_a_session_is_short(language: str) -> None:
    slots = {
        slot["name"]
        for item in read_catalog()
        for section in item["schema"]["sections"]
        for some in (section.get("documents") or {}).values()
        for slot in some
    }
    with translation.override(language):
        messages = [gettext("“%(slot)s” was uploaded.") % {"slot": slot} for slot in slots]
        assert all(len(f"{one} {gettext('Check the note below.')}") < MOST for one in messages)
        for context in ({"is_in": False}, {"is_in": True, "session": {"is_near": True, "at": "23:59"}}):
            page = Markup(get_template("portal/site/_session.html").render(context))
            assert 0 < len(page.one("p", id="announcer").text) < MOST


def test_what_is_said_of_much_that_is_inactive_is_cut_and_is_the_only_sentence() -> None:
    """Each change is announced once; what it makes inactive says more than how many questions went."""
    source = get_template("portal/sections/_update.html").template.source
    [template] = re.findall(r'(?s)<p id="announcer"[^>]*>(.*?)</p>', source)
    context = Context(
        {"changed": {"announcement": "2 questions removed."}, "consequence": {"text": "No longer needed because " * 30}}
    )
    announced = Template(template).render(context)
    assert announced.startswith("No longer needed because")
    assert len(announced) < MOST


def test_no_answer_to_a_change_tells_two_things() -> None:
    """Each of the templates that answer htmx has one sentence at most for those who hear the page."""
    templates = [path for path in (ROOT / "templates").rglob("*.html") if 'id="announcer"' in path.read_text()]
    assert len(templates) > 4
    for path in templates:
        assert path.read_text().count('id="announcer"') == 1, path.name


def test_what_script_tells_of_a_file_is_cut() -> None:
    source = (ROOT / "static/js/upload.js").read_text()
    assert source.count('getElementById("announcer").textContent') == 1
    assert "line.length < 100 ? line : `${line.slice(0, 98)}…`" in source
