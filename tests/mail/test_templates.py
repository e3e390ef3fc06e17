"""Every kind of e-mail: whole, in one layout, in the same words as text and as HTML, and with nothing fetched."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

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
def test_an_email_is_whole_as_text_and_as_html_and_fetches_nothing(kind: str) -> None:
    rendered = sample_email(kind, language="en")
    assert 5 < len(rendered.subject) < 80
    assert len(rendered.text) > 100
    assert "\n\n\n\n" not in rendered.text
    markup = Markup(rendered.html)
    assert markup.faults == []
    assert markup.one("html").attributes["lang"] == "en"
    assert "max-width: 600px" in rendered.html
    assert not re.search(r"<(img|script|link|table|form)\b|url\(|@import", rendered.html)
    links = set(re.findall(r'href="([^"]*)"', rendered.html))
    assert links
    assert all(link.startswith(f"{settings.PORTAL_URL}/") for link in links)
    assert links == set(re.findall(r"https?://\S+", rendered.text))
    if kind in OPTIONAL_KINDS:
        assert "Stop these e-mails" in rendered.text
        assert "Stop these e-mails" in rendered.html


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("submission", "You submitted it on 22\u00a0November\u00a02026, 06:25 (Chatham time)."),
        ("nudge", "You have until 6\u00a0December\u00a02026, 06:25 (Chatham time)."),
    ],
)
def test_a_time_is_the_operators_and_names_its_zone(kind: str, sentence: str) -> None:
    """Whoever causes the e-mail, from wherever."""
    with timezone.override("Asia/Tokyo"):
        email = sample_email(kind, language="en")
    assert sentence in email.text
    assert sentence in Markup(email.html).one("body").text
