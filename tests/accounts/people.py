"""People who sign in with a password, and with a second factor; and what tests ask of their browsers."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import format_hotp_value, generate_totp_secret, hotp_value
from django.test import Client

from formation_portal.accounts import addresses
from formation_portal.accounts.models import User

EMAIL, PASSWORD = "ada@example.com", "a long enough passphrase"
CODE = "/accounts/2fa/authenticate/"


def person(email: str = EMAIL, password: str = PASSWORD, **more: Any) -> User:
    """Somebody with a confirmed address and a password."""
    user = User.objects.create_user(email, password, first_name="Ada", last_name="Byron", **more)
    addresses.confirm(user)
    return user


def add_app(user: User) -> str:
    """Set up an authenticator app for the account, with recovery codes; its secret."""
    secret = generate_totp_secret()
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": secret})
    RecoveryCodes.activate(user)
    return secret


def app_code(secret: str, at: float) -> str:
    """What the app shows then, in seconds since 1970."""
    return format_hotp_value(hotp_value(secret, int(at // 30)))


def recovery_codes(user: User) -> list[str]:
    """Those that were not used yet."""
    row = Authenticator.objects.get(user=user, type=Authenticator.Type.RECOVERY_CODES)
    return list(row.wrap().get_unused_codes())


def sign_in(client: Client, password: str = PASSWORD, email: str = EMAIL, **more: Any) -> Any:
    """The answer to a try."""
    return client.post("/accounts/login/", {"login": email, "password": password, **more})


def signed_in(password: str = PASSWORD, email: str = EMAIL, **more: Any) -> Client:
    """A browser in which somebody has given a password, and is asked for a second factor if there is one."""
    client = Client()
    assert sign_in(client, password, email, **more).status_code == 302
    return client


def enter(client: Client, code: str) -> Any:
    """A code as the second step of signing in."""
    return client.post(CODE, {"code": code})


def is_in(client: Client) -> bool:
    """Asked by a page of the account."""
    return client.get("/accounts/email/").status_code == 200
