"""Which countries and currencies stand first in a long list: the product's own, and those that are used already."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from html import escape
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.iso_codes import country_name, currencies_of, is_country
from formation_portal.contract.record import Answers, Party

from .controls import markup

# The codes, likeliest first, by what they name: "countries" or "currencies" (FieldSpec.listing).
Suggestions = Callable[[], Mapping[str, tuple[str, ...]]]

# Stands where the likely ones go in markup that is kept; of characters that Unicode leaves to private use.
SUGGESTIONS_GAP = "\ue000likely\ue001"

_MOST = 6
# In a shorter list nobody has to look for anything.
SHORT_LIST = 12

_Said = tuple[Iterable[FieldSpec], Answers]


def no_suggestions() -> Mapping[str, tuple[str, ...]]:
    """For a page that knows of none."""
    return {}


def suggestions(draft: Draft, *, only: Party | None = None) -> Suggestions:
    """Worked out when a long list is drawn first. With `only` nobody's answers count but that party's."""

    @cache
    def found() -> Mapping[str, tuple[str, ...]]:
        product = draft.application.product
        country = str((product.get("jurisdiction") or {}).get("iso_code", ""))
        price = str((product.get("price") or {}).get("currency", ""))
        own = {"countries": (country,), "currencies": (price, *currencies_of(country))}
        used: dict[str, Counter[str]] = {listing: Counter() for listing in own}
        for specs, answers in _of_party(draft, only) if only else _everything(draft):
            for spec in specs:
                if spec.listing and spec.name in answers.values:
                    used[spec.listing].update(spec.codes_of(answers.values[spec.name]))
        likely: dict[str, tuple[str, ...]] = {}
        for listing, codes in own.items():
            most_used = (code for code, _ in used[listing].most_common(_MOST))
            likely[listing] = tuple(dict.fromkeys([*filter(None, codes), *most_used]))[:_MOST]
        return likely

    return found


def suggested_options(spec: FieldSpec, raw: Any, codes: Iterable[str]) -> SafeString:
    """The likely ones as the first group of a list's options, also those that stand in it further down."""
    listed = spec.options or spec.allowed_currencies
    if 0 < len(listed) <= SHORT_LIST:
        return markup("")
    left = set(raw) if spec.many else set()
    wanted = [code for code in codes if code not in left and (not listed or code in listed)]
    if spec.listing == "countries":
        labels = {code: country_name(code) for code in wanted if is_country(code)}
    else:
        labels = {choice.value: choice.label for choice in spec.choices()}
    drawn = [f'<option value="{escape(code)}">{escape(labels[code])}</option>' for code in wanted if code in labels]
    label = escape(gettext("Suggested"))
    return markup(f'<optgroup label="{label}">{"".join(drawn)}</optgroup>' if drawn else "")


def _of_party(draft: Draft, party: Party) -> Iterator[_Said]:
    yield draft.schema.fields_of(party.kind, party.roles), party.answers


def _everything(draft: Draft) -> Iterator[_Said]:
    yield draft.schema.entity_fields, draft.record.answers
    for party in draft.record.parties:
        yield from _of_party(draft, party)
    for share_class in draft.record.share_classes:
        yield draft.schema.share_class_fields, share_class.answers
