"""Find names in a page or a log."""

import re
from collections.abc import Iterable


def words_in(text: str, words: Iterable[str]) -> list[str]:
    """Return those of `words` that stand in `text` by themselves: three letters may be a part of a nonce."""
    return [word for word in words if re.search(rf"\b{re.escape(word)}\b", text)]
