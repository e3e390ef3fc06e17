"""Every kind of e-mail: whole, in one layout, in the same words as text and as HTML, and with nothing fetched."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from formation_portal.mail.outbox import OPTIONAL_KINDS
from formation_portal.mail.rendering import sample_contexts, sample_email
from tests.markup import Markup

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "templates/mail"
KINDS = sorted(path.stem for path in FOLDER.glob("[!_]*.txt"))

pytestmark = pytest.mark.django_db


def test_every_kind_has_both_its_texts_and_a_sample() -> None:
    assert KINDS
    assert sorted(path.stem for path in FOLDER.glob("[!_]*.html")) == KINDS
    assert sorted(sample_contexts()) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_an_email_says_what_it_is_in_its_subject_and_has_a_text(kind: str) -> None:
    rendered = sample_email(kind, language="en")
    assert 5 < len(rendered.subject) < 80
    assert len(rendered.text) > 100
    assert "\n\n\n\n" not in rendered.text


@pytest.mark.parametrize("kind", KINDS)
def test_an_email_is_sound_html_in_its_language_that_fetches_nothing(kind: str) -> None:
    html = sample_email(kind, language="en").html
    markup = Markup(html)
    assert markup.faults == []
    assert markup.one("html").attributes["lang"] == "en"
    assert "max-width: 600px" in html
    assert "prefers-color-scheme: dark" in html
    assert not re.search(r"<(img|script|link|table|form)\b|url\(|@import", html)


@pytest.mark.parametrize("kind", KINDS)
def test_text_and_html_lead_to_the_same_places_by_whole_addresses(kind: str) -> None:
    rendered = sample_email(kind, language="en")
    links = set(re.findall(r'href="([^"]*)"', rendered.html))
    assert links
    assert all(link.startswith(f"{settings.PORTAL_URL}/") for link in links)
    assert links == set(re.findall(r"https?://\S+", rendered.text))


@pytest.mark.parametrize("kind", sorted(OPTIONAL_KINDS & set(KINDS)))
def test_an_email_that_one_may_do_without_says_how_to_get_no_more(kind: str) -> None:
    rendered = sample_email(kind, language="en")
    assert "Stop these e-mails" in rendered.text
    assert "Stop these e-mails" in rendered.html


def test_the_colours_are_those_of_the_house() -> None:
    tokens = (ROOT / "static/css/tokens.css").read_text()
    used = set(re.findall(r"#[0-9a-f]{6}", (FOLDER / "_style.css").read_text()))
    assert used
    assert {colour for colour in used if colour not in tokens} == set()
