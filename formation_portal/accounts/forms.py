"""Sign-in and sign-up in the portal's words. What they do is allauth's."""

from typing import Any

from allauth.account.forms import LoginForm, SignupForm
from django import forms

_ADDRESS = "E-mail address"


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    """E-mail address, password, and whether to stay signed in on this device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _ADDRESS
        if "remember" in self.fields:
            self.fields["remember"].label = "Keep me signed in on this device"


class SignUpForm(SignupForm):  # type: ignore[misc]  # allauth has no types
    """Names as on the passport, so that a person who takes part needn't type them again."""

    first_name = forms.CharField(
        label="First name", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "given-name"})
    )
    last_name = forms.CharField(
        label="Last name", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "family-name"})
    )
    field_order = ("first_name", "last_name", "email", "password1")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _ADDRESS
