"""What allauth says when something stands against a sign-in, and the letters that it sends, in the portal's words."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from formation_portal.letters import post

# The letters that our settings of allauth lead to, by its name for them: our kind, and what its link is called.
_LETTERS = {
    "email_confirmation": ("confirmation", "activate_url"),
    "email_confirmation_signup": ("confirmation", "activate_url"),
    "password_reset_key": ("password_reset", "password_reset_url"),
    "unknown_account": ("account_unknown", "signup_url"),
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Its messages begin with the act."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": _("Check the e-mail address and the password: together they are not correct."),
        "enter_current_password": _("Enter your current password."),
        "incorrect_password": _("Enter your password. This one is not correct."),
        "cannot_remove_primary_email": _("Make another address your main one first. Then this one can be removed."),
        "duplicate_email": _("Enter another address. This one is in your account already."),
        "too_many_login_attempts": _("Wait a few minutes, then try again. There were too many attempts."),
        "rate_limited": _("Wait a few minutes, then try again. There were too many requests."),
    }

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Into the outbox, as every other letter."""
        kind, link = _LETTERS[template_prefix.rpartition("/")[2]]
        name = context["user"].get_full_name() if "user" in context else ""
        # The path alone: whole addresses are made from PORTAL_URL, not from what a request calls this host.
        letter = {"name": name, "link": urlsplit(context[link]).path}
        post(kind=kind, to=email, language=get_language() or "en", context=letter)
