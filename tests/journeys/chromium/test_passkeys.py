"""A passkey in a browser: added, used as the second step, alone, and before what takes more than a session. The content
policy stays as strict as on every page."""

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.accounts.people import PASSWORD, person
from tests.journeys.conftest import OpenTab

_DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
# Safari before 18.4 and Chrome before 129.
_WITHOUT_JSON = """delete PublicKeyCredential.parseRequestOptionsFromJSON;
  delete PublicKeyCredential.parseCreationOptionsFromJSON;
  delete PublicKeyCredential.prototype.toJSON;"""


@pytest.fixture
def device(site: str, open_tab: OpenTab, settings: Any) -> Iterator[tuple[Tab, Any]]:
    """A tab on `localhost`, which browsers take for safe, and a device with a finger on it."""
    settings.AGENT_SECOND_FACTOR = True
    browser = open_tab(None)
    browser.base = site.replace("127.0.0.1", "localhost")
    session = browser.tab.context.new_cdp_session(browser.tab)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": _DEVICE})
    yield browser.tab, browser
    assert browser.faults == []


def press(tab: Tab, name: str) -> None:
    with tab.expect_navigation():
        tab.locator("main").get_by_role("button", name=name, exact=True).click()


def sign_in(tab: Tab, base: str, email: str) -> None:
    tab.goto(f"{base}/accounts/login/")
    tab.get_by_label("E-mail address").fill(email)
    tab.get_by_label("Password", exact=True).fill(PASSWORD)
    press(tab, "Sign in")


@pytest.mark.parametrize(
    ("email", "missing"), [("mira@example.com", ""), ("ada@example.com", _WITHOUT_JSON)], ids=["today", "2023"]
)
def test_an_agent_adds_a_passkey_and_signs_in_by_it(device: tuple[Tab, Any], email: str, missing: str) -> None:
    tab, browser = device
    tab.add_init_script(missing)
    user = person(email, is_agent=True)
    sign_in(tab, browser.base, email)
    expect(tab).to_have_url(f"{browser.base}/accounts/2fa/")
    tab.goto(f"{browser.base}/accounts/2fa/webauthn/add/")
    press(tab, "Add a passkey")
    expect(tab.locator("h1")).to_have_text("Recovery codes")
    assert Authenticator.objects.get(user=user, type="webauthn").wrap().is_passwordless
    with tab.expect_navigation():
        tab.get_by_role("link", name="Continue").click()
    expect(tab).to_have_url(f"{browser.base}/desk/")

    tab.context.clear_cookies()
    sign_in(tab, browser.base, email)
    expect(tab.locator("h1")).to_have_text("Second step")
    press(tab, "Use a passkey")
    expect(tab).to_have_url(f"{browser.base}/desk/")

    tab.context.clear_cookies()
    tab.goto(f"{browser.base}/accounts/login/?next=/desk/statistics/")
    press(tab, "Use a passkey")
    expect(tab).to_have_url(f"{browser.base}/desk/statistics/")


def test_without_a_passkey_the_page_says_so_and_offers_another_way(device: tuple[Tab, Any]) -> None:
    tab, browser = device
    tab.goto(f"{browser.base}/accounts/login/")
    tab.locator("main").get_by_role("button", name="Use a passkey").click()
    expect(tab.get_by_text("No passkey was used. Try again, or choose another way.")).to_be_focused()
