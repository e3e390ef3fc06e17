"""An account is whose address it has: nobody takes it by another one, and nobody else acts in its name."""

import re
from typing import Any

import pytest
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from django.test import Client, RequestFactory

from formation_portal.accounts import addresses
from formation_portal.accounts.models import User
from formation_portal.mail.models import Email
from tests.accounts.people import is_in
from tests.encrypted_rows import rows_with
from tests.markup import Markup

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("noted_templates")]

OWNERS, ATTACKERS = "ada@example.com", "mallory@example.com"
OWNERS_PASSWORD, ATTACKERS_PASSWORD = "a passphrase of the owner", "a passphrase of mallory"


@pytest.fixture(autouse=True)
def _no_waiting(settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"confirm_email": "1000/m/key"}


def sign_up(email: str = OWNERS, password: str = OWNERS_PASSWORD, **more: str) -> Client:
    client = Client()
    posted = {"first_name": "Ada", "last_name": "Byron", "email": email, "password1": password, **more}
    assert client.post("/accounts/signup/", posted).status_code == 302
    return client


def sign_in(email: str, password: str) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": email, "password": password})
    return client


def link(kind: str, to: str) -> str:
    """The path in the newest e-mail of that kind to that address."""
    letter = next(iter(rows_with(Email.objects.filter(kind=kind), to=to)), None)
    assert letter is not None, f"no {kind} to {to}"
    return re.findall(r"https?://[^/\s]+(/accounts/\S+)", letter.text)[0]


def kinds(to: str) -> list[str]:
    return [one.kind for one in rows_with(Email.objects.order_by("pk"), to=to)]


def confirm(client: Client, email: str) -> Any:
    return client.post(link("confirmation", email))


def change(client: Client, email: str, password: str | None) -> Any:
    """Ask for another address, and answer the question for the password that follows."""
    asked = client.post("/accounts/email/", {"action_add": "", "email": email})
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    return client.post(asked["Location"], {"password": password}) if password else asked


def reset(email: str, password: str, client: Client | None = None) -> Client:
    """A new password by the e-mail that goes to the address, and what it opens in that browser."""
    client = client or Client()
    client.post("/accounts/password/reset/", {"email": email})
    form = client.get(link("password_reset", email), follow=True)
    client.post(form.redirect_chain[-1][0], {"password1": password, "password2": password})
    client.post("/accounts/login/", {"login": email, "password": password})
    return client


def confirmed(email: str = OWNERS, password: str = OWNERS_PASSWORD) -> Client:
    client = sign_up(email, password)
    assert confirm(client, email).status_code == 302
    return client


def message_levels(answer: Any) -> list[str]:
    """The levels of the messages on the page."""
    return [one.level_tag for one in answer.context["messages"]]


def known_addresses() -> list[tuple[str, str, bool]]:
    rows = EmailAddress.objects.order_by("user", "pk")
    return [(one.user.email, one.email, one.verified) for one in rows]


def test_whoever_signs_up_with_anothers_address_loses_it_by_confirming_their_own() -> None:
    attacker = sign_up(OWNERS, ATTACKERS_PASSWORD)
    change(attacker, ATTACKERS, ATTACKERS_PASSWORD)
    assert confirm(attacker, ATTACKERS).status_code == 302
    owner = sign_up()
    assert confirm(owner, OWNERS).status_code == 302
    assert known_addresses() == [(ATTACKERS, ATTACKERS, True), (OWNERS, OWNERS, True)], "two accounts, one each"
    Client().post("/accounts/password/reset/", {"email": ATTACKERS})
    assert {User.objects.get(email=OWNERS).check_password(OWNERS_PASSWORD), is_in(owner)} == {True}


def test_a_reset_shuts_out_whoever_signed_up_with_the_address_before() -> None:
    attacker = sign_up(OWNERS, ATTACKERS_PASSWORD)
    # As it was before accounts had one address: a second one that is confirmed, and one that waits.
    user = User.objects.get(email=OWNERS)
    EmailAddress.objects.create(user=user, email=ATTACKERS, verified=True)
    EmailAddress.objects.create(user=user, email="later@example.com")
    Client().post("/accounts/password/reset/", {"email": ATTACKERS})
    assert "password_reset" not in kinds(ATTACKERS), "only the account's own address opens it"

    owner = reset(OWNERS, OWNERS_PASSWORD)
    assert is_in(owner)
    assert not is_in(attacker)
    assert not is_in(sign_in(OWNERS, ATTACKERS_PASSWORD))
    assert not is_in(sign_in(ATTACKERS, ATTACKERS_PASSWORD))
    assert known_addresses() == [(OWNERS, OWNERS, True)], "the e-mail of the reset has confirmed it"


def test_what_waited_to_be_confirmed_at_a_reset_can_be_confirmed_no_more() -> None:
    attacker = confirmed(OWNERS, ATTACKERS_PASSWORD)
    change(attacker, ATTACKERS, ATTACKERS_PASSWORD)
    old = link("confirmation", ATTACKERS)
    read_before = EmailAddress.objects.get(email=ATTACKERS)
    owner = reset(OWNERS, OWNERS_PASSWORD)
    assert not get_adapter().confirm_email(RequestFactory().post("/"), read_before), "as it arrives with the reset"
    for client in (attacker, owner, sign_in(OWNERS, OWNERS_PASSWORD)):
        client.post(old)
    assert known_addresses() == [(OWNERS, OWNERS, True)]


def test_nobody_confirms_an_account_that_they_cannot_sign_in_to() -> None:
    sign_up(OWNERS, ATTACKERS_PASSWORD)
    path = link("confirmation", OWNERS)
    attacker_client = confirmed(ATTACKERS, ATTACKERS_PASSWORD)
    assert Client().get(path)["Location"].startswith("/accounts/login/?next=/accounts/confirm-email/")
    assert message_levels(Client().get(path, follow=True)) == ["info"]
    assert Client().post(path)["Location"].startswith("/accounts/login/")
    assert attacker_client.get(path).status_code == attacker_client.post(path).status_code == 403
    assert (OWNERS, OWNERS, False) in known_addresses()
    assert is_in(attacker_client)


def test_a_session_alone_changes_no_address_and_no_password() -> None:
    owner = confirmed()
    change(owner, ATTACKERS, None)
    assert known_addresses() == [(OWNERS, OWNERS, True)]
    change(owner, ATTACKERS, "not the password")
    assert known_addresses() == [(OWNERS, OWNERS, True)]
    for action in ("action_primary", "action_remove"):
        owner.post("/accounts/email/", {action: "", "email": OWNERS})
    owner.post("/accounts/password/change/", {"oldpassword": "", "password1": "x" * 20, "password2": "x" * 20})
    assert known_addresses() == [(OWNERS, OWNERS, True)]
    assert is_in(sign_in(OWNERS, OWNERS_PASSWORD))


def test_the_old_address_hears_of_a_change_when_it_is_asked_for_and_when_it_is_done() -> None:
    owner = confirmed()
    change(owner, "new@example.com", OWNERS_PASSWORD)
    assert kinds(OWNERS) == ["confirmation", "address_change"]
    assert known_addresses() == [(OWNERS, OWNERS, True), (OWNERS, "new@example.com", False)]
    assert is_in(sign_in(OWNERS, OWNERS_PASSWORD))
    confirm(owner, "new@example.com")
    assert kinds(OWNERS) == ["confirmation", "address_change", "address_changed"]
    # While the address is the account's, its holder can set another password; after that they have to ask us.
    assert link("address_change", OWNERS) == "/accounts/password/reset/"
    email = Email.objects.get(kind="address_changed")
    assert "/#help" in email.text
    assert "/accounts/password/reset/" not in email.text
    assert known_addresses() == [("new@example.com", "new@example.com", True)]
    assert is_in(owner)
    assert is_in(sign_in("new@example.com", OWNERS_PASSWORD))
    assert not is_in(sign_in(OWNERS, OWNERS_PASSWORD))


def test_a_change_kills_no_link_to_a_new_password_and_can_be_given_up() -> None:
    owner = confirmed()
    Client().post("/accounts/password/reset/", {"email": OWNERS})
    change(owner, "typo@example.com", OWNERS_PASSWORD)
    page = Client().get(link("password_reset", OWNERS), follow=True).content.decode()
    assert 'name="password1"' in page
    old = link("confirmation", "typo@example.com")
    owner.post("/accounts/email/", {"action_remove": "", "email": "typo@example.com"})
    owner.post(old)
    assert known_addresses() == [(OWNERS, OWNERS, True)]


def test_a_new_password_is_told_to_the_address_and_ends_all_other_sessions() -> None:
    here, elsewhere = confirmed(), sign_in(OWNERS, OWNERS_PASSWORD)
    assert is_in(elsewhere)
    new = {"oldpassword": OWNERS_PASSWORD, "password1": "another passphrase", "password2": "another passphrase"}
    here.post("/accounts/password/change/", new)
    assert is_in(here)
    assert not is_in(elsewhere)
    assert kinds(OWNERS) == ["confirmation", "password_changed"]
    assert link("password_changed", OWNERS) == "/accounts/password/reset/"
    reset(OWNERS, "a third passphrase")
    assert kinds(OWNERS)[2:] == ["password_reset", "password_changed"]


def test_a_mistyped_address_hears_nothing_is_corrected_and_the_link_to_it_is_dead() -> None:
    client, typo = sign_up("typo@example.com"), "typo@example.com"
    new = {"oldpassword": OWNERS_PASSWORD, "password1": "another passphrase", "password2": "another passphrase"}
    client.post("/accounts/password/change/", new)
    old = link("confirmation", typo)
    change(client, OWNERS, "another passphrase")
    assert kinds(typo) == ["confirmation"], "it may be somebody else's"
    client.post(old)
    assert known_addresses() == [(OWNERS, OWNERS, False)]
    confirm(client, OWNERS)
    assert known_addresses() == [(OWNERS, OWNERS, True)]


def test_the_link_of_ones_own_address_confirms_nobody_elses() -> None:
    attacker = sign_up(ATTACKERS, ATTACKERS_PASSWORD)
    own = link("confirmation", ATTACKERS)
    change(attacker, OWNERS, ATTACKERS_PASSWORD)
    attacker.post(own)
    assert known_addresses() == [(OWNERS, OWNERS, False)]


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_nobody_takes_the_address_of_another_account(is_confirmed: bool) -> None:
    confirmed() if is_confirmed else sign_up()
    other = confirmed(ATTACKERS, ATTACKERS_PASSWORD)
    if is_confirmed:
        asked = sign_up("typo@example.com").post("/accounts/email/", {"action_add": "", "email": OWNERS})
        assert Markup(asked.content.decode()).one("div", id="id_email_error").text
    change(other, OWNERS, ATTACKERS_PASSWORD)
    answer = other.post(link("confirmation", OWNERS), follow=True)
    assert message_levels(answer)[-1] == "error"
    assert {(OWNERS, OWNERS, is_confirmed), (ATTACKERS, ATTACKERS, True)} <= {*known_addresses()}
    assert is_in(reset(OWNERS, "another passphrase"))


def test_the_email_is_sent_again_and_the_page_is_the_one_it_was_asked_on(settings: Any) -> None:
    client = sign_up()
    answer = client.post("/accounts/confirmation/", {"next": "/applications/"}, follow=True)
    assert answer.redirect_chain == [("/applications/", 302)]
    assert kinds(OWNERS) == ["confirmation"] * 2
    settings.ACCOUNT_RATE_LIMITS = {"confirm_email": "1/m/key"}
    for _ in range(2):
        again = client.post("/accounts/confirmation/", {"next": "//evil.example/"}, follow=True)
    assert again.redirect_chain == [("/accounts/email/", 302)]
    assert message_levels(again) == ["error"]
    assert kinds(OWNERS) == ["confirmation"] * 3
    confirm(client, OWNERS)
    client.post("/accounts/confirmation/")
    assert kinds(OWNERS) == ["confirmation"] * 3


def test_an_address_that_is_taken_while_it_is_changed_is_refused_and_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = sign_up("mine@example.com", OWNERS_PASSWORD)
    replace = addresses.replace_unconfirmed

    def after_another(user: User, email: str, request: Any) -> Any:
        User.objects.create_user(email)
        return replace(user, email, request)

    monkeypatch.setattr(addresses, "replace_unconfirmed", after_another)
    answer = change(mine, OWNERS, OWNERS_PASSWORD)
    assert Markup(answer.content.decode()).one("div", id="id_email_error").text
    assert set(User.objects.values_list("email", flat=True)) == {"mine@example.com", OWNERS}


@pytest.mark.parametrize(
    ("email", "is_confirmed", "is_named"),
    [
        ("Confirmed@Example.com", True, True),
        ("another@example.com", False, True),
        ("mallory@example.com", False, False),
    ],
)
def test_an_address_is_confirmed_by_its_own_row_alone(email: str, is_confirmed: bool, is_named: bool) -> None:
    user, mallory = (User.objects.create_user(one) for one in (OWNERS, ATTACKERS))
    for holder, address, is_verified in (
        (user, "confirmed@example.com", True),
        (user, "another@example.com", False),
        (mallory, ATTACKERS, True),
    ):
        EmailAddress.objects.create(user=holder, email=address, verified=is_verified)
    assert addresses.is_confirmed(user, email) is is_confirmed
    assert addresses.has_address(user, email) is is_named
    assert not addresses.has_confirmed(user)
    assert addresses.has_confirmed(mallory)


def test_an_account_without_a_row_for_its_address_is_not_confirmed_and_can_confirm_it() -> None:
    User.objects.create_user(OWNERS, OWNERS_PASSWORD)
    client = sign_in(OWNERS, OWNERS_PASSWORD)
    assert not addresses.has_confirmed(User.objects.get())
    assert addresses.has_address(User.objects.get(), OWNERS.upper())
    assert not addresses.has_address(User.objects.get(), ATTACKERS)
    client.get("/accounts/email/")
    client.post("/accounts/confirmation/")
    confirm(client, OWNERS)
    assert known_addresses() == [(OWNERS, OWNERS, True)]
