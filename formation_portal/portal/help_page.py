"""The help page: the field's words, for all places or for one; and those that a page with questions uses."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.contract.world import collated

from .answers_page import AnswersPage
from .glossary import Place, Term, explained, place_of, places, terms_in
from .glossary.words import words

# More would be a list to read, and no help.
_MOST_BESIDE_A_FORM = 6
# Nobody looks for the Netherlands under T, nor for les Pays-Bas under L.
_ARTICLE = re.compile(r"^(?:the |die |les? |la |las |los |l’)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HelpPage:
    """Every term, with the words of one place where one was chosen, and the ways to the others."""

    place: Place | None
    terms: tuple[Term, ...]
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UsedTerms:
    """The terms that a form uses, and where there are more."""

    terms: tuple[Term, ...]
    place: str
    url: str


def help_page(code: str = "") -> HelpPage:
    """All words. Raises KeyError for a place that there is not."""
    place = places()[code] if code else None
    terms = sorted((explained(key, place) for key in words()), key=lambda term: collated(term.title))
    links = ((one.called, reverse("portal:help_place", args=[code])) for code, one in places().items())
    return HelpPage(place, tuple(terms), tuple(sorted(links, key=lambda link: collated(_ARTICLE.sub("", link[0])))))


def used_terms(page: AnswersPage) -> UsedTerms | None:
    """The terms in a page's own words; None where there are none."""
    code = str(page.draft.application.product.get("jurisdiction", {}).get("iso_code", ""))
    place = place_of(code)
    found = terms_in(_words_of(page))[:_MOST_BESIDE_A_FORM]
    if not found:
        return None
    url = reverse("portal:help_place", args=[code]) if place else reverse("portal:help")
    return UsedTerms(tuple(explained(key, place) for key in found), place.called if place else "", url)


def _words_of(page: AnswersPage) -> Iterator[str]:
    yield page.title
    for question in page.sheet.questions:
        yield question.label
