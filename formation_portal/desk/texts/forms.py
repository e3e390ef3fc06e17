"""Read and store the form of a shared text."""

from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import F
from django.utils import timezone
from django.utils.html import format_html

from formation_portal.contract.localisation import join_list
from formation_portal.reviews.models import MAX_TEXT

from ..models import SharedText
from ..shared_texts import PLACEHOLDERS, unknown_placeholders

_NAMED = join_list([f"{{{name}}}" for name in PLACEHOLDERS])


class SharedTextForm(forms.Form):
    """A title and a text, with the version that the page showed (0: a new text)."""

    title = forms.CharField(max_length=80, error_messages={"required": "Enter a title."})
    text = forms.CharField(
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 5}),
        error_messages={"required": "Enter a text."},
        help_text=format_html("You can use {}. They are filled in when the text is inserted.", _NAMED),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, initial=0, required=False)

    def __init__(self, *args: Any, number: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._number = number

    def clean_title(self) -> str:
        """Refuse the title of another text: a list must show different titles."""
        title: str = self.cleaned_data["title"]
        if SharedText.objects.filter(removed_at=None, title__iexact=title).exclude(pk=self._number).exists():
            raise forms.ValidationError("Another text has this title. Enter a different one.")
        return title

    def clean_text(self) -> str:
        """Refuse unknown placeholders, which would be sent to customers as they stand."""
        text: str = self.cleaned_data["text"].replace("\r\n", "\n")
        if unknown := unknown_placeholders(text):
            named = join_list([f"{{{name}}}" for name in unknown])
            raise forms.ValidationError(f"{named} cannot be filled in. Use {_NAMED}.")
        return text

    def store(self, *, by: AbstractBaseUser) -> bool:
        """Store the text; a removed text is shared again. Returns False if others have changed or removed the text."""
        data = self.cleaned_data
        values = {"title": data["title"], "text": data["text"], "at": timezone.now(), "by": by}
        if not self._number:
            SharedText.objects.create(**values)
            return True
        unchanged = SharedText.objects.filter(pk=self._number, version=data["version"] or 0)
        return bool(unchanged.update(**values, version=F("version") + 1, removed_at=None))
