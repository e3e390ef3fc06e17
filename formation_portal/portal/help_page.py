"""The help page: the field's words, for all places or for one; and those that a page with questions uses."""

import re
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.contract.world import collated

from .glossary import Place, Term, explained, places
from .glossary.words import words

# Nobody looks for the Netherlands under T, nor for les Pays-Bas under L.
_ARTICLE = re.compile(r"^(?:the |die |les? |la |las |los |l’)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HelpPage:
    """Every term, with the words of one place where one was chosen, and the ways to the others."""

    place: Place | None
    terms: tuple[Term, ...]
    links: tuple[tuple[str, str], ...]


def help_page(code: str = "") -> HelpPage:
    """All words. Raises KeyError for a place that there is not."""
    place = places()[code] if code else None
    terms = sorted((explained(key, place) for key in words()), key=lambda term: collated(term.title))
    links = ((one.called, reverse("portal:help_place", args=[code])) for code, one in places().items())
    return HelpPage(place, tuple(terms), tuple(sorted(links, key=lambda link: collated(_ARTICLE.sub("", link[0])))))
