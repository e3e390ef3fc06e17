"""States of the page of people for pictures and barriers: known ones to take, removed ones, and a double."""

from collections.abc import Iterator

from django.contrib.auth import get_user_model

from formation_portal.applications import saving
from formation_portal.applications.drafts import open_draft
from tests.applications import made
from tests.journeys.screenshots import Shot

NAMES = (
    ("Tomás", "Arrieta"),
    ("Joost", "van der Meer"),
    ("Noor", "Haddad"),
    ("Wilhelmina-Alexandrine", "Ó Súilleabháin"),
)


def people_once() -> Iterator[Shot]:
    """The demo's customer has formed one company, and forms a second one."""
    owner = get_user_model().objects.get(email="demo@example.com")
    earlier = open_draft(saving.start(owner=owner, product=made.product()))
    for first, last in NAMES:
        named = made.ADA | {"person.first_name": first, "person.last_name": last, "person.email": f"{last}@example.com"}
        saving.add_party(earlier, "person", ["director"], named, by=owner)
    saving.add_party(earlier, "corporate", ["director"], {"corporate.name": "Kestrel Capital B.V."}, by=owner)
    draft = open_draft(saving.start(owner=owner, product=made.product()))
    root = f"/applications/{draft.application.reference}/people/"
    yield Shot("people-known", root)
    ada = saving.add_party(draft, "person", ["director"], made.ADA, by=owner)
    other = made.ADA | {"person.email": "second@example.com"}
    again = saving.add_party(draft, "person", ["shareholder"], other, by=owner)
    gone = saving.add_party(draft, "corporate", ["director"], {"corporate.name": "Northlight Cable AS"}, by=owner)
    saving.remove_party(draft, gone, by=owner)
    yield Shot("people-removed", root)
    yield Shot("party-removal", f"{root}{ada.token}/removal/")
    yield Shot("party-twice", f"{root}{again.token}/")
    yield Shot("party-double", f"{root}{again.token}/double/")
    yield Shot("party-double-other-way", f"{root}{ada.token}/double/")
