"""Limits of typed text in e-mails: one line, nothing invisible, and no e-mail or web address, which might mislead."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

# The longest typed text.
LONGEST = 80
# Control and direction characters, unassigned ones, and line and paragraph separators.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# These are invisible too, but names are written with them.
_JOINERS = "\u200c\u200d"
# Mail programs make links of these: an e-mail address, a scheme, a network share, four numbers, or a full stop before
# a word, as in a host's name.
_ADDRESS = re.compile(
    r"@|://|www\.|\\\\|\b(?:https?|ftp|file|mailto|tel|sms|data|javascript|skype|callto):"
    r"|\d{1,3}(?:\.\d{1,3}){3}|[.\u3002](?=[^\W\d_]{2})",
    re.IGNORECASE,
)


def text_in_email(typed: str) -> str:
    """Return the text on one line of at most LONGEST characters, or "" if it holds an e-mail or web address."""
    text = _on_one_line(typed)
    if _has_address(text):
        return ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"


def validate_name(typed: str) -> None:
    """Raise ValidationError if an account's name, which e-mails show, has invisible characters or addresses."""
    text = unicodedata.normalize("NFKC", typed)
    if any(_is_invisible(letter) for letter in text) or _has_address(_on_one_line(text)):
        raise ValidationError(
            gettext("Enter a name on one line, without e-mail or web addresses. Leave a space after a full stop."),
            code="address_in_name",
        )


def _on_one_line(typed: str) -> str:
    # Full stops of other scripts and widths become ordinary ones.
    text = unicodedata.normalize("NFKC", typed)
    return " ".join("".join(" " if _is_invisible(letter) else letter for letter in text).split())


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in _INVISIBLE and letter not in _JOINERS


def _has_address(text: str) -> bool:
    return bool(_ADDRESS.search(text.translate(dict.fromkeys(map(ord, _JOINERS)))))
