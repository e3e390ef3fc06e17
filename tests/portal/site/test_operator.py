"""An operator's name, logo, colour and help on pages, in letters and on paper."""

from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from PIL import Image
from pytest_django.fixtures import Settings

from formation_portal.applications.draft import Draft
from formation_portal.mail.rendering import sample_email
from tests.markup import Markup
from tests.pdfs import read_pdf
from tests.portal.pages import root

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SIGN_IN = "/accounts/login/"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="10"><path d="M0 0h40v10H0z"/></svg>'


@pytest.fixture
def operated(settings: Settings) -> Settings:
    """By somebody else."""
    settings.OPERATOR_NAME = "Kite & Partners"
    settings.HELP_EMAIL = "hello@kite.example"
    settings.HELP_TELEPHONE = "+41 44 668 18 00"
    settings.HELP_HOURS = "Mo-Th 09:00-17:00 Europe/Zurich"
    settings.HELP_REPLY_DAYS = 2
    return settings


@pytest.fixture(params=["svg", "png"])
def with_logo(request: Any, operated: Settings, tmp_path: Path) -> Settings:
    path = tmp_path / f"logo.{request.param}"
    if request.param == "svg":
        path.write_text(SVG)
    else:
        Image.new("RGB", (400, 100), "navy").save(path)
    operated.OPERATOR_LOGO = str(path)
    return operated


def page_of(client: Client, address: str = SIGN_IN) -> Markup:
    return Markup(client.get(address).content.decode())


def test_pages_say_what_the_settings_say(as_nobody: Client, operated: Settings) -> None:
    page = page_of(as_nobody)
    assert page.one("title").text == "Sign in – Kite & Partners"
    assert page.one("a", class_="brand").text == "Kite & Partners"
    help_text = " ".join(page.one("div", id="help").text.split())
    assert (
        "E-mail hello@kite.example. Call +41 44 668 18 00, Monday to Thursday, 9:00 to 17:00 Zurich time. "
        "We reply within 2 working days."
    ) in help_text
    assert page.one("a", href="mailto:hello@kite.example")
    assert page.one("a", href="tel:+41446681800")
    assert page.one("h2", id="new").text == "New to Kite & Partners?"


def links_to_help(page: Markup) -> list[str]:
    return [link.text for link in page.all("a", href="#help")]


def test_without_a_help_desk_nothing_leads_to_one(
    as_nobody: Client, as_owner: Client, submitted: Draft, operated: Settings
) -> None:
    status = f"{root(submitted)}status/"
    assert links_to_help(page_of(as_nobody)) == ["Help"]
    assert links_to_help(page_of(as_owner, status)) == ["Help", "Contact us"]
    assert "/#help" in sample_email("address_changed", language="en").text
    operated.HELP_TELEPHONE = operated.HELP_EMAIL = ""
    for page in (page_of(as_nobody), page_of(as_owner, status), Markup(render_to_string("500.html"))):
        assert links_to_help(page) == []
        assert not page.all("div", id="help")
        assert "Help" not in [heading.text for heading in page.all("h2")]
        assert "reply within" not in page.one("footer").text
    assert "#help" not in render_to_string("portal/submission/_payment.html", {"payment": {}})
    email = sample_email("address_changed", language="en")
    assert "#help" not in email.text + email.html
    assert "Contact us" not in email.text + email.html


def test_an_accent_is_a_style_sheet_that_browsers_keep(as_nobody: Client, operated: Settings) -> None:
    operated.OPERATOR_ACCENT = "#0b3d91"
    sheets = [one.attributes["href"] for one in page_of(as_nobody).all("link", rel="stylesheet")]
    # Below the portal's own, whose colours it replaces.
    assert sheets[-1].startswith("/operator/")
    answer = as_nobody.get(sheets[-1])
    assert answer["Content-Type"] == "text/css"
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Cookie" not in answer.get("Vary", "")
    assert "--petrol:light-dark(#0b3d91," in answer.content.decode()
    assert as_nobody.get("/operator/old.css")["Cache-Control"] == "no-cache"
    operated.OPERATOR_ACCENT = "#7a0b91"
    assert page_of(as_nobody).all("link", rel="stylesheet")[-1].attributes["href"] != sheets[-1]


def test_a_logo_stands_for_mark_and_name_can_do_nothing_and_is_tagged_on_paper(
    as_nobody: Client, as_owner: Client, submitted: Draft, with_logo: Settings
) -> None:
    page = page_of(as_nobody)
    picture = page.one("img", alt="Kite & Partners")
    assert page.one("link", rel="icon").attributes["href"] == picture.attributes["src"]
    answer = as_nobody.get(picture.attributes["src"])
    assert answer["Content-Type"].startswith("image/")
    assert "sandbox" in answer["Content-Security-Policy"]
    assert "immutable" in answer["Cache-Control"]
    assert answer.content == Path(with_logo.OPERATOR_LOGO).read_bytes()
    found = read_pdf(as_owner.get(f"{root(submitted)}record.pdf").content)
    assert "Figure" in found.tags
    assert found.claims_ua
