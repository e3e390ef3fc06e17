"""Read the form that makes an API key."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone

from formation_portal.service.auth import PORTAL_ACCOUNT, SCOPES
from formation_portal.service.models import ApiKey

_NEVER = "never"
_DAYS = {"30": "After 30 days", "90": "After 90 days", "365": "After 1 year", _NEVER: "Never"}


class _Scopes(forms.CheckboxSelectMultiple):
    """Checkboxes for scopes. The error summary links to the first."""

    def id_for_label(self, id_: str, index: str | None = None) -> str:
        return super().id_for_label(id_, index or "0")


class ApiKeyForm(forms.Form):
    name = forms.CharField(
        max_length=100,
        error_messages={"required": "Enter a name."},
        help_text="Say which system uses it, for example “Ledger import”.",
    )
    account = forms.CharField(
        max_length=100,
        required=False,
        help_text="Keys of the same account see the same records. Leave blank for a new account.",
    )
    days = forms.ChoiceField(label="Expires", choices=list(_DAYS.items()), initial="90")
    scopes = forms.MultipleChoiceField(
        widget=_Scopes,
        choices=[(scope, scope) for scope in SCOPES],
        error_messages={"required": "Select at least one scope."},
    )

    def clean_name(self) -> str:
        """Refuse the name of an active key, so that a repeated post makes no second key."""
        name: str = self.cleaned_data["name"]
        if any(not key.has_expired for key in ApiKey.objects.filter(name__iexact=name, revoked_at=None)):
            raise forms.ValidationError("Another key has this name. Enter a different one.")
        return name

    def clean_account(self) -> str:
        """Refuse the portal's account, which has all customers' records."""
        account: str = self.cleaned_data["account"]
        if account.casefold() == PORTAL_ACCOUNT:
            raise forms.ValidationError(
                "Keys of this account can read the records of all customers. An administrator can make one: "
                "manage.py api_keys create"
            )
        return account

    @property
    def fields_of_key(self) -> dict[str, Any]:
        values = dict(self.cleaned_data)
        days = values.pop("days")
        expires_at = None if days == _NEVER else timezone.now() + timedelta(days=int(days))
        return {**values, "expires_at": expires_at, "is_live": True}
