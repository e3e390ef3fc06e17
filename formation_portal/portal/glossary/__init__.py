"""The field's words explained, and what each place calls them: the data of two files, and how forms meet it."""

from .finding import terms_in
from .words import Place, Term, explained, place_of, places

__all__ = ["Place", "Term", "explained", "place_of", "places", "terms_in"]
