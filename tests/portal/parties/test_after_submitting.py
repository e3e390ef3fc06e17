"""Once an application was submitted, no page of people or shares offers a change, and no post makes one."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.models import Application
from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import State
from formation_portal.invitations.models import Invitation
from tests import factories
from tests.applications.imports.sample_sheets import HEADS, NOOR, as_csv
from tests.portal.pages import page_at, people_page, root
from tests.portal.parties.test_owners import KITE
from tests.portal.shares.test_beneficial_owners import offered, with_owners
from tests.portal.shares.test_shares import ANSWERS

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def closed(owner: Any) -> Draft:
    """An application under review, in which a company holds shares and one person was entered twice."""
    draft = factories.new_draft(owner, schema=with_owners())
    factories.fill_in(draft, by=owner)
    services.add_party(draft, "corporate", ["shareholder"], {"corporate.name": "Kestrel B.V."}, by=owner, token="kite")
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="second")
    Application.objects.update(state=State.SUBMITTED_FOR_REVIEW)
    return factories.again(draft)


@pytest.mark.parametrize(
    ("path", "post", "status"),
    [
        ("people/ada/", {"version": "1", "q:person.last_name": "King"}, 409),
        ("people/ada/roles/", {"role": canonical.BENEFICIAL_OWNER}, 302),
        ("people/known/", {"role": "director", "use": "me/0000000000"}, 302),
        ("people/second/double/", {"other": "ada", "choice": "one"}, 302),
        ("people/ada/invitation/", {"email": "ada@example.com"}, 302),
        ("people/kite/owners/", KITE, 409),
        ("people/spreadsheet/", {"sheet": factories.upload(as_csv(HEADS, NOOR), "people.csv")}, 409),
        ("shares/", {"holding:ada:ordinary": "1"}, 409),
        ("shares/", {"split": "ordinary"}, 409),
        ("shares/owners/ada/", {"version": "0"}, 409),
        ("shares/classes/new/", ANSWERS, 409),
        ("shares/classes/ordinary/", {"version": "1", "q:name": "Common"}, 409),
    ],
)
def test_no_post_changes_what_was_submitted(
    as_owner: Client, closed: Draft, path: str, post: dict[str, Any], status: int
) -> None:
    before = factories.entered(closed)
    assert as_owner.post(root(closed) + path, post).status_code == status
    assert factories.entered(factories.again(closed)) == before
    assert not Invitation.objects.exists()
    assert not PartyImport.objects.exists()


def test_no_page_of_what_was_submitted_offers_a_change(as_owner: Client, closed: Draft) -> None:
    for path in ("people/ada/", "people/ada/invitation/", "people/kite/owners/", "shares/", "shares/classes/ordinary/"):
        assert page_at(as_owner, root(closed) + path).controls == [], path
    assert people_page(as_owner, closed, "spreadsheet/").all("input", type="file") == []
    assert "10,000" in page_at(as_owner, f"{root(closed)}shares/").one("form", id="answers").text
    assert offered(page_at(as_owner, f"{root(closed)}shares/")) == []
    page = people_page(as_owner, closed)
    assert [form for form in page.all("form") if form.inside("main")] == []
    of_ada = [link.text for link in page.all("a") if page.one("li", id="party-ada") in link.ancestors]
    assert of_ada == ["View Ada Lovelace"]
    assert as_owner.get(f"{root(closed)}people/second/double/").status_code == 302
