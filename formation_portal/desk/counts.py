"""Numbers of things in the words of the desk."""


def numbered(number: int, one: str, many: str = "") -> str:
    """0 questions, 1 question, 3 questions."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def if_any(number: int, one: str, many: str = "") -> str:
    """1 question, 3 questions; nothing for none."""
    return numbered(number, one, many) if number else ""


def together(*parts: str) -> str:
    """What there is of the parts, as one says it: "2 answers and 1 document"."""
    *others, last = [part for part in parts if part] or [""]
    return f"{', '.join(others)} and {last}" if others else last
