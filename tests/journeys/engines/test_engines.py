"""The portal in WebKitGTK and Firefox: the shortest way through what it does with script, and how it is drawn there.

No test may leave an error in the console of its engine.
"""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model

from formation_portal.accounts import addresses
from formation_portal.applications import services
from formation_portal.reviews.models import Check
from tests import factories
from tests.invitations import mailbox
from tests.journeys.conftest import new_user
from tests.journeys.desk.cases import in_review
from tests.journeys.drafts import address_of, complete_draft, new_draft, reloaded
from tests.journeys.engines.conftest import FIREFOX_ESR
from tests.journeys.engines.drivers import ARROW_RIGHT, ENTER, ESCAPE, TAB, Engine
from tests.waiting import wait_until

# Firefox before 133.
_WITHOUT_KEEPALIVE = "delete wrappedJSObject.Request.prototype.keepalive; delete wrappedJSObject.fetch"
_RING = "return getComputedStyle(document.activeElement.closest('.choice')).outlineStyle"
_LINES = """return [...document.querySelectorAll("main .button-plain, main .disclosure > summary")]
  .map((element) => getComputedStyle(element).textDecorationLine)"""
_SCROLLS = """return [...document.querySelectorAll(".scroll")]
  .map((element) => [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight])"""
ZOE = {"First name": "Zoë", "Last name": "O’Hara", "Password": "a long enough passphrase"}


def signed_up(engine: Engine) -> Any:
    email = f"{uuid4().hex}@example.com"
    engine.sign_in(None)
    engine.open("/accounts/signup/")
    for label, text in {**ZOE, "E-mail address": email}.items():
        engine.fill(label, text)
    engine.press("Create account")
    engine.expect_heading("Applications")
    user = get_user_model().objects.get(email=email)
    addresses.confirm(user)
    return user


def test_a_customer_signs_up_answers_uploads_and_invites_and_a_guest_answers(engine: Engine, tmp_path: Path) -> None:
    draft = new_draft(signed_up(engine))
    named = {"person.first_name": "Ada", "person.last_name": "Lovelace"}
    party = services.add_party(draft, "person", ["director"], named, by=draft.application.owner)

    section = f"{address_of(draft)}sections/the-company/"
    engine.open(section)
    engine.fill("Name", "Kestrel")
    engine.send_keys(TAB)
    engine.choose("Trading")
    engine.wait_until_saved()
    engine.fill("Goods", "Tea and coffee")
    # The page is left before it is saved.
    engine.open(f"{address_of(draft)}documents/")
    wait_until(lambda: reloaded(draft).entity_raw.get("xy.goods") == "Tea and coffee")
    assert reloaded(draft).entity_raw["entity.name"] == "Kestrel"

    passport = tmp_path / "passport.pdf"
    passport.write_bytes(factories.PDF)
    engine.find("main [type=file]").send_keys(str(passport))
    engine.expect_text("was uploaded.")
    assert [document.name for document in reloaded(draft).documents] == ["passport.pdf"]

    engine.open(f"{address_of(draft)}people/{party.token}/invitation/")
    engine.fill("Their e-mail address", "ada@example.com")
    engine.press("Send invitation")
    engine.expect_text("Invitation sent to ada@example.com.")

    engine.sign_in(None)
    engine.set_width(320)
    engine.open(mailbox.latest_link("invitation"))
    engine.press("Send code")
    engine.expect_text("Enter the code")
    engine.fill("Code", mailbox.latest_code())
    engine.press("Open your part")
    engine.expect_heading("Ada Lovelace")
    engine.find('[name$="is_pep"]').send_keys(ARROW_RIGHT)
    engine.send_keys(ARROW_RIGHT)
    engine.press("I have finished")
    engine.expect_text("Complete them to finish.")
    assert engine.run("return document.documentElement.scrollWidth <= innerWidth")


def test_an_agent_accepts_a_company_by_keys(engine: Engine) -> None:
    draft = in_review(new_user())
    engine.sign_in(new_user(is_agent=True))
    engine.open(f"/desk/{draft.application.reference}/parties/kestrel/")
    engine.send_keys("?", ESCAPE, "o")
    engine.wait_for("return document.querySelector('#viewer img')?.complete")
    engine.send_keys("a", ENTER)
    engine.expect_text("3 facts accepted.")
    assert Check.objects.filter(application=draft.application).count() == 3


def test_pages_are_drawn_as_in_chromium(engine: Engine) -> None:
    """A ring at the radio button that arrow keys reach, lines under what reads like a link, and no needless scroll."""
    draft = complete_draft()
    engine.sign_in(draft.application.owner)
    engine.open(f"{address_of(draft)}people/ada/?open=1")
    engine.find('[name$="is_pep"][value="true"]').send_keys(ARROW_RIGHT)
    assert engine.run(_RING) == "solid"
    assert set(engine.run(_LINES)) == {"underline"}
    engine.open(f"{address_of(draft)}shares/")
    scrolls = engine.run(_SCROLLS)
    assert scrolls
    assert all(scroll == [0, 0] for scroll in scrolls)


@pytest.mark.parametrize("engine", [FIREFOX_ESR], indirect=True)
def test_a_browser_that_keeps_no_request_alive_saves_when_a_page_is_left(engine: Engine) -> None:
    draft = new_draft()
    engine.sign_in(draft.application.owner)
    engine.open(f"{address_of(draft)}sections/the-company/")
    engine.run(_WITHOUT_KEEPALIVE)
    engine.fill("Name", "Larkfield")
    engine.open("/help/")
    assert reloaded(draft).entity_raw["entity.name"] == "Larkfield"
