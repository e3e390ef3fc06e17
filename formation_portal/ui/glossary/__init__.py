"""The field's words explained, and what each jurisdiction calls them: two files, and where forms use them."""

from .terms import GlossaryPlace, Term, explained_term, place_of, places, terms_in

__all__ = ["GlossaryPlace", "Term", "explained_term", "place_of", "places", "terms_in"]
