"""Controls: their names and ids, what they offer and what stands first in a long list of it, and their markup.

Markup is safe by construction: whatever comes from outside passes `escape`, of the standard library, since Django's own
takes four times as long, and a long form calls it a thousand times.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, Protocol
from urllib.parse import quote, unquote

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec, quote_key
from formation_portal.contract.fields.iso_codes import country_name, currencies_of, is_country
from formation_portal.contract.record import Party, validate

from ..formats import foreign_language


class Selectable(Protocol):
    """One thing that can be chosen, in whatever class it comes."""

    @property
    def value(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def chosen(self) -> bool: ...

    @property
    def alone(self) -> bool: ...


def attributes(**values: str) -> str:
    """Attributes that have a value, each after a space; an underscore in a name stands for a hyphen."""
    return "".join(f' {name.replace("_", "-")}="{escape(value)}"' for name, value in values.items() if value)


def option_language(label: str, spec: FieldSpec | None) -> str:
    """Return the lang attribute of an option's label that is a text of the schema in another language, else ""."""
    return attributes(lang=foreign_language(label, spec)) if spec and spec.has_own_words else ""


def markup(safe: str) -> SafeString:
    """The one place where text is declared to be markup: everything that came from outside was escaped on the way."""
    return mark_safe(safe)  # nosec B308, B703  # noqa: S308  # see above


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen."""

    value: str
    label: str
    chosen: bool
    # Whether it excludes every other one.
    alone: bool = False
    # What stands below the label; the portal's own words or the schema's.
    help: str = ""
    is_ours: bool = False


def as_options(labels: Iterable[tuple[str, str]], chosen: str) -> tuple[Option, ...]:
    """Each with its value and its label; the one that has the value `chosen` is chosen."""
    return tuple(Option(value, label, value == chosen) for value, label in labels)


@dataclass(frozen=True, slots=True)
class FilterControl:
    """A control of a filter (ui/filter.html): a list, where there are choices; else an input of some type, or what goes
    along unseen."""

    name: str
    label: str = ""
    value: str = ""
    type: str = "search"
    choices: tuple[Option, ...] = ()
    is_hidden: bool = False
    # Leads to where it is typed.
    key: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of an error summary: the id of the control and the words that stand at it."""

    id: str
    text: str


def slot_key(token: str | None, name: str) -> str:
    """What a form posts to name a slot: the party's token and the slot's own name."""
    return f"{token or ''}/{name}"


def slot_name(key: str) -> str:
    """The slot's own name."""
    return key.partition("/")[2]


def slot_id(key: str) -> str:
    """The id of the slot's file control; in a page's one form also the control's name."""
    return f"slot:{control_id(quote(key))}"


def slot_name_of_control(control: str) -> str:
    """The slot's own name, by the control in a page's one form."""
    return slot_name(unquote(control))


def control_id(control: str) -> str:
    """The id that goes with a control's name. Without a hyphen, so that no key can look like `<id>-hint` of another."""
    return control.replace("-", "%2D")


def party_control(spec: FieldSpec) -> str:
    """A control of a party's page: by the answer's name, since two roles may use one key for two answers."""
    return f"q:{quote_key(spec.name)}"


# The codes, likeliest first, by what they name: "countries" or "currencies" (FieldSpec.listing).
Suggestions = Callable[[], Mapping[str, tuple[str, ...]]]

# Stands where the likely ones go in markup that is kept; of characters that Unicode leaves to private use.
SUGGESTIONS_GAP = "\ue000likely\ue001"

_MOST = 6
# Parties entered earlier say little about what is chosen next.
_MOST_LATEST = 20
# In a shorter list nobody has to look for anything.
SHORT_LIST = 12


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
        if only is not None:
            said = [(draft.schema.fields_of(only.kind, only.roles), only.answers)]
        else:
            said = [(draft.schema.entity_fields, draft.record.answers)]
            for row in draft.parties[-_MOST_LATEST:]:
                specs = tuple(spec for spec in draft.schema.fields_of(row.kind, row.roles) if spec.listing)
                said.append((specs, validate(specs, row.raw)))
            said += [(draft.schema.share_class_fields, one.answers) for one in draft.record.share_classes]
        for specs, answers in said:
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
