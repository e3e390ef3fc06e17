"""What allauth says when something stands against a sign-in, in the portal's words."""

from allauth.account.adapter import DefaultAccountAdapter
from django.utils.translation import gettext_lazy as _


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
