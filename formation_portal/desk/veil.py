"""What the formation service says may quote a number that somebody is known by: on the desk it is masked there, too."""

import re
from collections.abc import Iterator
from functools import cached_property

from formation_portal.applications.draft import Draft
from formation_portal.contract import canonical
from formation_portal.ui.readback import answer_in_words

from .masks import mask_of


class Veil:
    """Lies over words about one application. No query, and nothing is looked for where nothing is said."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def over(self, text: str) -> str:
        """The words with every number masked, however it is grouped there."""
        for number, seen in self._masked if text else ():
            text = number.sub(seen, text)
        return text

    @cached_property
    def _masked(self) -> list[tuple[re.Pattern[str], str]]:
        # The longest first: a short one may be a part of it.
        numbers = sorted(set(_numbers(self._draft)), key=len, reverse=True)
        return [(_grouped(number), str(mask_of(number))) for number in numbers]


def _numbers(draft: Draft) -> Iterator[str]:
    for party in draft.parties:
        for spec in draft.schema.fields_of(party.kind, party.roles):
            if canonical.is_identity_number(spec.canonical_field, kind=party.kind):
                number = answer_in_words(spec, party.raw.get(spec.name))
                if any(map(str.isalnum, number)):
                    yield number


def _grouped(number: str) -> re.Pattern[str]:
    """The same letters and digits one after the other, and no part of a longer word."""
    told = r"[\W_]*".join(re.escape(one) for one in number if one.isalnum())
    return re.compile(rf"(?<!\w){told}(?!\w)", re.IGNORECASE)
