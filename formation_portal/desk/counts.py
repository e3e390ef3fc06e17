"""Numbers of things in the words of the desk."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def numbered(number: int, one: str, many: str = "") -> str:
    """0 questions, 1 question, 3 questions."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def if_any(number: int, one: str, many: str = "") -> str:
    """1 question, 3 questions; nothing for none."""
    return numbered(number, one, many) if number else ""


def ordinal(number: int) -> str:
    """ "second" for 2; above ten "no. 11"."""
    return _ORDINALS[number - 1] if 1 <= number <= len(_ORDINALS) else f"no. {number:,}"


def together(*parts: str) -> str:
    """What there is of the parts, as one says it: "2 answers and 1 document"."""
    *others, last = [part for part in parts if part] or [""]
    return f"{', '.join(others)} and {last}" if others else last
