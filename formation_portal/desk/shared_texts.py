"""Insert texts that agents share into queries and decisions, and fill in their placeholders."""

import re
from functools import cached_property
from typing import Any

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.draft import Draft
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, holder_name, label_of
from formation_portal.ui.forms.controls import Option, as_options

from .models import SharedText

PLACEHOLDERS = ("customer", "company", "party", "question", "agent")
_PLACEHOLDER = re.compile(r"\{([^{}\n]*)\}")


def is_insertion(request: UserRequest) -> bool:
    """Tell whether the button of desk/_shared_texts.html was pressed, which htmx tells by a header (js/autosave.js)."""
    return "insert" in request.POST or request.htmx.trigger_name == "insert"


def unknown_placeholders(text: str) -> list[str]:
    return [name for name in dict.fromkeys(_PLACEHOLDER.findall(text)) if name not in PLACEHOLDERS]


class SharedTexts:
    """The shared texts that fit a form: each of their placeholders has a value there. One SQL query, at first use."""

    def __init__(self, draft: Draft, *, reader: Any, target: Target = WHOLE_APPLICATION) -> None:
        self._draft = draft
        self._reader = reader
        self._target = target

    @property
    def options(self) -> tuple[Option, ...]:
        labels = [(str(text.pk), text.title) for text in self._fitting]
        return as_options((("", "Choose"), *labels), "") if labels else ()

    def inserted(self, typed: str, chosen: str) -> str:
        """Return the typed text, and below it the chosen text with its placeholders filled in."""
        text = next((text.text for text in self._fitting if str(text.pk) == chosen), "")
        filled = _PLACEHOLDER.sub(lambda match: self._values[match[1]], text)
        return "\n\n".join(filter(None, (typed.rstrip(), filled)))

    @cached_property
    def _values(self) -> dict[str, str]:
        draft = self._draft
        values = {
            "customer": draft.application.owner.get_full_name(),
            "company": draft.title,
            "party": holder_name(draft, self._target),
            "question": label_of(draft, self._target) or "",
            "agent": self._reader.get_full_name(),
        }
        return {name: value for name, value in values.items() if value}

    @cached_property
    def _fitting(self) -> list[SharedText]:
        return [
            text
            for text in SharedText.objects.filter(removed_at=None)
            if self._values.keys() >= set(_PLACEHOLDER.findall(text.text))
        ]
