"""What an agent posts to make an API key."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone

from formation_portal.service.auth import PORTAL_ACCOUNT, SCOPES
from formation_portal.service.models import ApiKey

_NEVER = "never"
_DAYS = {"30": "After 30 days", "90": "After 90 days", "365": "After 1 year", _NEVER: "Never"}


class _Scopes(forms.CheckboxSelectMultiple):
    """A box a scope; the error summary leads to the first one."""

    def id_for_label(self, id_: str, index: str | None = None) -> str:
        """That of one box."""
        return super().id_for_label(id_, index or "0")


class ApiKeyForm(forms.Form):
    """A name, what the key may do, whose records it sees, and when it ends."""

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
        """Two keys that work never have one name: a form that arrives twice makes one key, and nobody revokes the
        wrong one."""
        name: str = self.cleaned_data["name"]
        there = ApiKey.objects.filter(name__iexact=name, revoked_at=None)
        if any(not one.has_expired for one in there):
            raise forms.ValidationError("Another key has this name. Enter a different one.")
        return name

    def clean_account(self) -> str:
        """Customers' records are all in the portal's account, and take a right of their own to be read."""
        account: str = self.cleaned_data["account"]
        if account.casefold() == PORTAL_ACCOUNT:
            raise forms.ValidationError(
                "Keys of this account can read the records of all customers. An administrator can make one: "
                "manage.py api_keys create"
            )
        return account

    @property
    def fields_of_key(self) -> dict[str, Any]:
        """What `make_key` takes."""
        said = self.cleaned_data
        ends = None if said["days"] == _NEVER else timezone.now() + timedelta(days=int(said["days"]))
        return {name: said[name] for name in ("name", "account", "scopes")} | {"expires_at": ends, "is_live": True}
