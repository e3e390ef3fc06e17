"""Numbers as agents read them."""

import pytest

from formation_portal.desk.wording import ordinal


@pytest.mark.parametrize(
    ("number", "words"), [(1, "first"), (10, "tenth"), (11, "no. 11"), (1_000, "no. 1,000"), (0, "no. 0")]
)
def test_submissions_are_numbered_in_words_up_to_ten(number: int, words: str) -> None:
    assert ordinal(number) == words
