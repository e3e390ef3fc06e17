"""Search the catalog: each word must begin a word of the product's texts, or be a trade term for one."""

import re
import unicodedata

from formation_portal.contract.catalog import CatalogItem

# Search words, each with its synonyms in catalogs. No product is named here.
_TRADE_WORDS = {
    "charity": ("foundation", "non-profit"),
    "corp": ("corporation",),
    "dao": ("blockchain",),
    "family": ("private wealth",),
    "fund": ("finance and funds",),
    "gmbh": ("beschrankter haftung",),
    "holding": ("for holding", "holds", "special purpose"),
    "ibc": ("international business company", "business corporation"),
    "inc": ("corporation",),
    "investor": ("investors",),
    "llc": ("limited liability company",),
    "ltd": ("limited by shares", "private limited"),
    "nonprofit": ("non-profit", "foundation"),
    "ngo": ("non-profit",),
    "ong": ("non-profit",),
    "offshore": ("international business", "trading abroad", "operates mainly outside"),
    "sarl": ("a responsabilite limitee",),
    "spv": ("special purpose",),
    "startup": ("investors",),
    "trust": ("foundation",),
    "wealth": ("foundation",),
}
# Longer searches are cut to this length.
MAX_LENGTH = 100
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_DOT_WITHIN = re.compile(r"(?<=\w)\.(?=\w)")
_WORD = re.compile(r"\w+")


def matches_search(search: str, item: CatalogItem) -> bool:
    """Tell whether the product's name, place and description have every word of the search."""
    terms = _WORD.findall(_normalised(search))
    if not terms:
        return True
    texts: list[str] = []
    # Search in the reader's language and in the service's own.
    for source in (item, item.original):
        place = source.jurisdiction
        texts += [source.product.name, source.product.description, place.name, place.slug, place.iso_code, place.region]
    text = _spaced_words(" ".join(texts))
    return all(any(_spaced_words(word) in text for word in (term, *_TRADE_WORDS.get(term, ()))) for term in terms)


def matches_name(search: str, name: str) -> bool:
    """Tell whether each word of the search begins a word of the name."""
    text = _spaced_words(name)
    return all(_spaced_words(word) in text for word in search.split())


def _spaced_words(text: str) -> str:
    return "".join(f" {word}" for word in _WORD.findall(_normalised(text)))


def _normalised(text: str) -> str:
    """Write a text in small letters without accents; "S.R.L." becomes "srl"."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    return _DOT_WITHIN.sub("", plain)
