"""Clean text that people write, before it is validated (INTERFACE.md, "Values").

Text that is copied from web pages, PDFs and chats carries characters that nobody sees. They make a blank name
look answered, and two equal names differ. Passwords, codes, keys, options and file contents are never cleaned.
"""

import re
import unicodedata

import idna

# Default_Ignorable_Code_Point in DerivedCoreProperties.txt, Unicode 16.0. Python's unicodedata lacks the property.
DEFAULT_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
BRAILLE_BLANK = "\u2800"
# White_Space in PropList.txt, Unicode 16.0. Python's `\s` also has the four information separators.
WHITE_SPACE = "\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

# Variation_Selector in PropList.txt, Unicode 16.0.
_VARIATION_SELECTOR = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_JOINERS = "\u200c\u200d"
_DIRECTION_MARKS = "\u200e\u200f\u061c"

_INVISIBLE = re.compile(f"[{DEFAULT_IGNORABLE}{BRAILLE_BLANK}]")
_WHITE_SPACES = re.compile(f"[{WHITE_SPACE}]+")
_ENDS = "".join(filter(_WHITE_SPACES.match, map(chr, range(0x3001)))) + _DIRECTION_MARKS
# The rule for a joiner looks past marks to the next letters on both sides. No word has more marks than this.
_CONTEXT = 16
_MAX_DOMAIN = 253
# What keyboards write in an e-mail address for its ASCII characters: East Asian ones full-width forms, and telephones
# an apostrophe.
_EMAIL_CHARACTERS = {full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)} | {0x2019: "'", 0x3002: ".", 0xFE6B: "@"}


def clean_line(text: str) -> str:
    """Clean one line of text: no invisible characters, one space for each run of white space, none at the ends."""
    return _WHITE_SPACES.sub(" ", remove_invisible(text)).strip(" ")


def plain_email(text: str) -> str:
    """Clean an e-mail address as it is typed: full-width characters and a curly apostrophe become those of ASCII."""
    return clean_line(text).translate(_EMAIL_CHARACTERS)


def clean_email(text: str) -> str:
    """Clean an e-mail address for sending and comparing: in lower case, its domain as mail servers know it.

    bücher.example becomes xn--bcher-kva.example, which some browsers send by themselves.
    """
    address = plain_email(text).lower()
    local, at, domain = address.rpartition("@")
    if domain.isascii() or not local or len(domain) > _MAX_DOMAIN:
        return address
    try:
        return f"{local}{at}{idna.encode(domain, uts46=True).decode()}"
    except ValueError:
        return address


def clean_lines(text: str) -> str:
    """Clean text of several lines: a single newline for each line end, no marks of direction at the ends."""
    visible = remove_invisible(text.replace("\r\n", "\n").replace("\r", "\n"), exempt=_DIRECTION_MARKS)
    return visible.strip(_ENDS)


def remove_invisible(text: str, *, exempt: str = "") -> str:
    """Normalise a text to NFC and remove the characters that nobody sees, except for those exempt."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    # Letters and accents may compose once a character between them is removed.
    while (cleaned := unicodedata.normalize("NFC", _without_invisible(text, exempt))) != text:
        text = cleaned
    return text


def _without_invisible(text: str, exempt: str) -> str:
    if not _INVISIBLE.search(text):
        return text
    cleaned: list[str] = []
    for position, character in enumerate(text):
        if not _INVISIBLE.match(character) or character in exempt:
            cleaned.append(character)
        elif _VARIATION_SELECTOR.match(character):
            if cleaned and _is_visible(cleaned[-1]):
                cleaned.append(character)
        elif character in _JOINERS and _may_join(cleaned, character, text[position + 1 : position + 1 + _CONTEXT]):
            cleaned.append(character)
    return "".join(cleaned)


def _is_visible(character: str) -> bool:
    is_control = unicodedata.category(character) in ("Cc", "Cs")
    return not (is_control or _INVISIBLE.match(character) or _WHITE_SPACES.match(character))


def _may_join(before: list[str], joiner: str, after: str) -> bool:
    """Tell whether a joiner may stand here (RFC 5892, appendix A), as in Persian and Sinhala names."""
    context = "".join(before[-_CONTEXT:])
    try:
        return idna.valid_contextj(context + joiner + after, len(context))
    except ValueError:
        # The character before the joiner has no name in Unicode.
        return False
