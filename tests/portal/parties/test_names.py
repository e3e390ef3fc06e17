"""Names as people have them: of one letter, with apostrophes, without a surname, in any script and direction."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.canonical import ENTITY_NAME_ENDING
from tests import factories
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

NAMES = (
    ("Siobhán", "O’Brien-d'Arcy"),
    ("Sukarno", ""),
    ("محمد", "علي"),
    ("<b>Ada</b>", "& Söhne"),
)


@pytest.mark.parametrize(("first", "last"), NAMES)
def test_a_name_is_kept_as_it_is_and_shown_so_on_every_page(
    as_owner: Client, draft: Draft, owner: Any, first: str, last: str
) -> None:
    party = services.add_party(draft, "person", ["director"], {}, by=owner)
    root = f"/applications/{draft.application.reference}/"
    page = f"{root}people/{party.token}/"
    typed = {"q:person.first_name": first, "q:person.last_name": last, "version": "1"}
    assert as_owner.post(page, typed).status_code == 302
    kept = open_draft(draft.application).parties[0].raw
    assert (kept["person.first_name"], kept.get("person.last_name", "")) == (first, last)
    shown = f"{first} {last}".strip()
    for path in ("people/", "check/", "documents/"):
        markup = Markup(as_owner.get(root + path).content.decode())
        assert markup.faults == []
        names = [one for one in markup.elements if "name" in one.attributes.get("class", "").split()]
        headings = [one for one in markup.elements if one.attributes.get("class") == "party-name"]
        assert shown in [one.text.strip() for one in (*names, *headings)], path
    again = Markup(as_owner.get(page).content.decode())
    assert again.one("input", name="q:person.first_name").attributes["value"] == first


def test_a_company_is_called_with_its_ending_wherever_it_is_named(as_owner: Client, owner: Any) -> None:
    ending = factories.field("ending", "select", canonical_field=ENTITY_NAME_ENDING, options=["Limited", "Ltd"])
    company, *others = factories.SCHEMA["sections"]
    sections = [company, {"scope": "entity", "title": "The ending", "fields": [ending]}, *others]
    application = services.start(
        owner=owner, product=factories.product(schema=factories.SCHEMA | {"sections": sections})
    )
    root = f"/applications/{application.reference}/"
    as_owner.post(f"{root}sections/the-company/", {"q:name": "Larkfield", "version": "0"})
    as_owner.post(f"{root}sections/the-ending/", {"q:ending": "Limited", "version": "0"})
    draft = open_draft(Application.objects.get())
    assert draft.title == "Larkfield Limited"
    for page in ("/applications/", root, f"{root}check/"):
        assert "Larkfield Limited" in Markup(as_owner.get(page).content.decode()).one("main").text, page
