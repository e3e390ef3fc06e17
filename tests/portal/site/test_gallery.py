"""The gallery: real templates in every state, for the demo alone."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.portal.site.pages import COMPONENTS, components_shown_elsewhere, exhibits

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_without_the_demo_there_is_none(as_nobody: Client, settings: Any) -> None:
    settings.DEMO = False
    assert as_nobody.get("/gallery/").status_code == 404


def test_every_component_is_shown_or_said_to_stand_elsewhere() -> None:
    shown = {exhibit.name.replace(" ", "_") for exhibit in exhibits()}
    assert shown | set(components_shown_elsewhere()) == {path.stem for path in COMPONENTS.glob("[a-z]*.html")}
    assert len(shown) > 20


def test_no_specimen_is_empty_and_none_is_drawn_like_another() -> None:
    for exhibit in exhibits():
        examples = [html.strip() for html in exhibit.specimens.values()]
        assert all(examples), exhibit.name
        assert len(set(examples)) == len(examples), exhibit.name
