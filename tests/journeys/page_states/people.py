"""States of the page of people for pictures and barriers: known people to use, removed ones, and a duplicate."""

from collections.abc import Iterator

from django.contrib.auth import get_user_model
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.uploads import read_sheet
from formation_portal.applications.models import Party
from tests import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, as_csv
from tests.journeys.page_states.screenshots import Shot, open_folds, press

NAMES = (
    ("Tomás", "Arrieta"),
    ("Joost", "van der Meer"),
    ("Noor", "Haddad"),
    ("Wilhelmina-Alexandrine", "Ó Súilleabháin"),
)


def people_states() -> Iterator[Shot]:
    """The demo's customer has formed one company, and forms a second one."""
    owner = get_user_model().objects.get(email="demo@example.com")
    earlier = factories.new_draft(owner)
    for first, last in NAMES:
        named = factories.ADA | {
            "person.first_name": first,
            "person.last_name": last,
            "person.email": f"{last}@example.com",
        }
        services.add_party(earlier, "person", ["director"], named, by=owner)
    services.add_party(earlier, "corporate", ["director"], {"corporate.name": "Kestrel Capital B.V."}, by=owner)
    draft = factories.new_draft(owner)
    root = f"/applications/{draft.application.reference}/people/"
    yield Shot("people-known", root)
    ada = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    other = factories.ADA | {"person.email": "second@example.com"}
    again = services.add_party(draft, "person", ["shareholder"], other, by=owner)
    gone = services.add_party(draft, "corporate", ["director"], {"corporate.name": "Northlight Cable AS"}, by=owner)
    services.remove_party(draft, gone, by=owner)
    yield Shot("people-removed", root)
    yield Shot("party-removal", f"{root}{ada.token}/removal/")
    yield Shot("party-twice", f"{root}{again.token}/")
    yield Shot("party-double", f"{root}{again.token}/double/")
    yield Shot("party-double-other-way", f"{root}{ada.token}/double/")
    yield Shot("party-gone", f"{root}{again.token}/", act=lambda tab: _save_what_is_gone(tab, draft, again))
    yield from _sheet(draft, f"{root}spreadsheet/")
    for number in range(8):
        named = factories.ADA | {"person.first_name": f"Ida {number}", "person.email": f"ida{number}@example.com"}
        services.add_party(draft, "person", ["director"], named, by=owner)
    yield Shot("people-many", root)
    for name, typed in (("people-many-found", "ida 3"), ("people-many-none", "nobody")):
        yield Shot(name, root, act=lambda tab, typed=typed: _look_for(tab, typed))


def _look_for(tab: Tab, name: str) -> None:
    tab.get_by_label("Find by name").fill(name)
    expect(tab.locator("#found")).to_contain_text(" of " if name != "nobody" else "No name here")


def _save_what_is_gone(tab: Tab, draft: Draft, party: Party) -> None:
    open_folds(tab)
    tab.get_by_label("Last name").fill("King")
    services.remove_party(draft, party, by=draft.application.owner)
    press(tab, "Save and continue")


def _sheet(draft: Draft, address: str) -> Iterator[Shot]:
    """A sheet for many people: before, refused, and read with everything that there can be to say."""
    yield Shot("spreadsheet", address)
    yield Shot("spreadsheet-refused", address, act=lambda tab: press(tab, "Upload and check"))
    rows = (
        (*ADA[:2], "yes", *ADA[3:]),
        (*NOOR, "39"),
        (*NOOR[:6], "03/04/1990"),
        ("Robot", *NOOR[1:]),
        *((*NOOR[:3], first, last, f"{last}@example.com", "2 May 1979") for first, last in NAMES),
    )
    content = as_csv((*HEADS, "Shoe size"), *rows)
    owner = draft.application.owner
    found = services.keep_import(
        draft, read_sheet(content, keys_by_heading(draft.schema), account=owner.pk), name="people.csv", by=owner
    )
    sheet = address.replace("spreadsheet/", f"imports/{found.token}/")
    yield Shot("party-import", sheet)
    yield Shot("party-import-taken", sheet, act=_add)


def _add(tab: Tab) -> None:
    press(tab, "Add the selected rows")
