"""The catalog's search: each word begins a word of the product, or is one of the trade's other words for it."""

import re
import unicodedata

from formation_portal.contract.catalog import CatalogItem

# What people look for, and the words that catalogs have for it. No product is named here.
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
# The longest that is looked for; nobody types more.
MAX_LENGTH = 100
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_DOT_WITHIN = re.compile(r"(?<=\w)\.(?=\w)")
_WORD = re.compile(r"\w+")


def matches_search(search: str, item: CatalogItem) -> bool:
    """Whether the product has every word that is looked for, in its name, place or description."""
    wanted = _WORD.findall(_normalised(search))
    if not wanted:
        return True
    # In the reader's language and in the service's own.
    texts = [*_searched_texts(item), *_searched_texts(item.original)]
    text = _words(" ".join(dict.fromkeys(texts)))
    return all(any(_words(one) in text for one in (word, *_TRADE_WORDS.get(word, ()))) for word in wanted)


def _searched_texts(item: CatalogItem) -> list[str]:
    place = item.jurisdiction
    return [item.product.name, item.product.description, place.name, place.slug, place.iso_code, place.region]


def matches_name(search: str, name: str) -> bool:
    """Whether each word that is looked for begins a word of the name."""
    text = _words(name)
    return all(_words(word) in text for word in search.split())


def _words(text: str) -> str:
    """The words with a space before each, so that what is looked for is found at the beginning of one."""
    return "".join(f" {word}" for word in _WORD.findall(_normalised(text)))


def _normalised(text: str) -> str:
    """In small letters without accents; "S.R.L." is "srl"."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    return _DOT_WITHIN.sub("", plain)
