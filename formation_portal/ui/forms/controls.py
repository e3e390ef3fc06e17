"""Controls: their names and ids, their options with the likeliest first, and their markup.

Markup is safe by construction: every text from outside passes `escape` of the standard library. Django's own takes four
times as long, and a long form calls it a thousand times.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any
from urllib.parse import quote, unquote

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec, quote_key
from formation_portal.contract.fields.iso_codes import country_name, currencies_of, is_country
from formation_portal.contract.record import Answers, Party, validate

from ..formats import foreign_language


def attributes(**values: str) -> str:
    """Write the attributes that have a value, each after a space; an underscore in a name stands for a hyphen."""
    return "".join(f' {name.replace("_", "-")}="{escape(value)}"' for name, value in values.items() if value)


def option_language(label: str, spec: FieldSpec | None) -> str:
    """Return a lang attribute if an option's label is the schema's text in another language, else ""."""
    if spec is None or not spec.has_own_words:
        return ""
    return attributes(lang=foreign_language(label, spec))


def markup(safe: str) -> SafeString:
    """Declare a text to be markup, in which all text from outside is escaped already."""
    return mark_safe(safe)  # nosec B308, B703  # noqa: S308  # see above


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    chosen: bool
    # Excludes every other option.
    alone: bool = False
    # Help below the label, in the portal's own words or the schema's.
    help: str = ""
    is_ours: bool = False


def as_options(labels: Iterable[tuple[str, str]], chosen: str) -> tuple[Option, ...]:
    return tuple(Option(value, label, value == chosen) for value, label in labels)


@dataclass(frozen=True, slots=True)
class FilterControl:
    """A control of a filter (ui/filter.html): a list of choices, an input of a type, or a hidden input."""

    name: str
    label: str = ""
    value: str = ""
    type: str = "search"
    choices: tuple[Option, ...] = ()
    is_hidden: bool = False
    # The keyboard shortcut to the control.
    key: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    id: str
    text: str


def slot_key(token: str | None, name: str) -> str:
    return f"{token or ''}/{name}"


def slot_name(key: str) -> str:
    return key.partition("/")[2]


def slot_id(key: str) -> str:
    """Return the id of a slot's file control; in the form of a page also the control's name."""
    return f"slot:{control_id(quote(key))}"


def slot_name_of_control(control: str) -> str:
    """Return a slot's own name from the name of its control."""
    return slot_name(unquote(control))


def control_id(control: str) -> str:
    """Return a control's id. It has no hyphen, so that it never equals another control's `<id>-hint`."""
    return control.replace("-", "%2D")


def party_control(spec: FieldSpec) -> str:
    """Name a control of a party's page by its answer's name, since two roles may use one key for two answers."""
    return f"q:{quote_key(spec.name)}"


# Marks the place of suggestions in cached markup, with private-use characters of Unicode.
SUGGESTIONS_GAP = "\ue000likely\ue001"

_MOST = 6
# Parties entered earlier say little about what is chosen next.
_MOST_LATEST = 20
# Lists up to this length need no suggestions.
SHORT_LIST = 12


class Suggestions:
    """The countries and currencies to suggest: the product's own, then those most used in the application's answers.

    If `only` names a party, only that party's answers count.
    """

    def __init__(self, draft: Draft, *, only: Party | None = None) -> None:
        self._draft = draft
        self._only = only

    def of(self, listing: str) -> tuple[str, ...]:
        return self._codes.get(listing, ())

    @cached_property
    def _codes(self) -> Mapping[str, tuple[str, ...]]:
        product = self._draft.application.product
        country = str((product.get("jurisdiction") or {}).get("iso_code", ""))
        price = str((product.get("price") or {}).get("currency", ""))
        used: dict[str, Counter[str]] = {"countries": Counter(), "currencies": Counter()}
        for specs, answers in self._answers():
            for spec in specs:
                if spec.listing and spec.name in answers.values:
                    used[spec.listing].update(spec.codes_of(answers.values[spec.name]))
        of_product = {"countries": (country,), "currencies": (price, *currencies_of(country))}
        likeliest: dict[str, tuple[str, ...]] = {}
        for listing, codes in of_product.items():
            most_used = [code for code, _ in used[listing].most_common(_MOST)]
            likeliest[listing] = tuple(dict.fromkeys([*filter(None, codes), *most_used]))[:_MOST]
        return likeliest

    def _answers(self) -> Iterator[tuple[Iterable[FieldSpec], Answers]]:
        schema = self._draft.schema
        if self._only is not None:
            yield schema.fields_of(self._only.kind, self._only.roles), self._only.answers
            return
        yield schema.entity_fields, self._draft.record.answers
        for row in self._draft.parties[-_MOST_LATEST:]:
            specs = tuple(spec for spec in schema.fields_of(row.kind, row.roles) if spec.listing)
            yield specs, validate(specs, row.raw)
        for share_class in self._draft.record.share_classes:
            yield schema.share_class_fields, share_class.answers


def suggested_options(spec: FieldSpec, raw: Any, codes: Iterable[str]) -> SafeString:
    """Write the likeliest choices as the first group of a list's options; the full list below repeats them."""
    listed = spec.options or spec.allowed_currencies
    if 0 < len(listed) <= SHORT_LIST:
        return markup("")
    chosen = raw if spec.many else ()
    if spec.listing == "countries":
        labels = {code: country_name(code) for code in codes if is_country(code)}
    else:
        labels = dict(spec.choices())
    options = []
    for code in codes:
        if code in labels and code not in chosen and (not listed or code in listed):
            options.append(f'<option value="{escape(code)}">{escape(labels[code])}</option>')
    if not options:
        return markup("")
    return markup(f'<optgroup label="{escape(gettext("Suggested"))}">{"".join(options)}</optgroup>')
