"""What is announced when questions show or hide, by the script at once or by the server."""

import re

import pytest
from django.conf import settings
from django.template import Context, Template
from django.template.loader import get_template
from django.utils import translation

from formation_portal.portal.sections.changes import announcement

LANGUAGES = [code for code, _ in settings.LANGUAGES]
# As long as what is heard may be (goal 21).
MOST = 100


@pytest.mark.parametrize("language", LANGUAGES)
def test_script_and_server_tell_of_questions_that_come_and_go_in_the_same_words_of_under_a_hundred_characters(
    language: str,
) -> None:
    with translation.override(language):
        words = get_template("portal/sections/_announcements.html").render()
        attributes = dict(re.findall(r'data-(\w+-\w+)="([^"]+)"', words))
        assert len(attributes) == 4
        for count, form in ((1, "one"), (7, "other")):
            for moved, counts in (
                ("added", {"added": count, "removed": 0}),
                ("removed", {"added": 0, "removed": count}),
            ):
                assert attributes[f"{moved}-{form}"].replace("{n}", str(count)) == announcement(**counts)
        assert len(announcement(added=99, removed=99)) < MOST
    for form in ("one", "other"):
        both = f"{attributes[f'added-{form}']} {attributes[f'removed-{form}']}".replace("{n}", "99")
        assert len(both) < MOST, both


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
