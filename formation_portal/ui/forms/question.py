"""A question as the field templates draw it (templates/fields/, a template for each field type).

Django's forms are not used for questions: the contract parses and validates answers, and a form would only repeat it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext

from formation_portal.applications.readback import answer_in_words
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import Choice, FieldSpec, Part
from formation_portal.contract.fields.bounds import NO_BOUNDS
from formation_portal.contract.fields.iso_codes import country_name
from formation_portal.contract.fields.text import ONE_NAME
from formation_portal.reviews.models import MAX_TEXT

from .controls import SHORT_LIST, SUGGESTIONS_GAP, Option, Suggestions, control_id, markup, suggested_options


@dataclass(frozen=True, slots=True)
class AnswerRow:
    term: str
    value: str
    is_name: bool = False
    note: str = ""
    # If the answer can be changed: the row's id, its mark, and the link to the control.
    id: str = ""
    state: str = ""
    change_url: str = ""
    change_what: str = ""


@dataclass(frozen=True, slots=True)
class QueryNote:
    """A question of our reviewer and the customer's reply. `proposal` is an answer in words that is not stored yet."""

    number: int
    title: str
    text: str
    when: str
    reply: str
    is_changed: bool
    proposal: str = ""
    can_be_answered: bool = True

    reply_limit = MAX_TEXT

    @property
    def own_id(self) -> str:
        return f"asked-{self.number}"

    @property
    def is_answered(self) -> bool:
        return self.is_changed or bool(self.reply)


# Up to this many choices are all shown.
_FEW = 6
# Of more choices than this, the chosen ones are shown, and a list to add from (fields/multi_select.html).
_MOST_TICKED = 40


class AnswerWarnings(Protocol):
    """The warnings at the answers of a page, computed when a question is drawn."""

    def of(self, name: str) -> str:
        """Return what changing an answer would make inactive, in words; "" if that is little."""


@dataclass(frozen=True, slots=True)
class ControlPart:
    part: Part
    name: str
    id: str
    label: str
    value: str
    autocomplete: str
    choices: tuple[Option, ...]
    is_wrong: bool


@dataclass(frozen=True)
class Question:
    """A field as it is drawn, with the typed answer and the messages about it."""

    spec: FieldSpec
    name: str
    typed: Any = None
    error: str = ""
    optional: bool = False
    is_answered: bool = False
    is_own: bool = False
    share_classes: tuple[Choice, ...] = ()
    shares_url: str = ""
    given: tuple[str, ...] = ()
    unanswerable: str = ""
    warnings: AnswerWarnings | None = None
    # Why an answer that can be read cannot be true; it is saved, and only prevents submission.
    objection: str = ""
    # Why the answer is worth a second look; it never prevents submission.
    advice: str = ""
    # A rule across answers may have a message here.
    is_validated: bool = False
    # Parts of the answer are missing, and none is wrong.
    is_incomplete: bool = False
    # The code of the Problem (contract/fields/values.py) behind the error, if any.
    error_code: str = ""
    # Our reviewer has accepted the answer, so that it is read-only; and our reviewer's question about it.
    is_locked: bool = False
    note: QueryNote | None = None
    # The likeliest choices, which stand first in a long list; for the cache a gap is left in their place.
    suggestions: Suggestions | None = None
    has_suggestions_gap: bool = False

    @property
    def id(self) -> str:
        return control_id(self.name)

    @property
    def error_id(self) -> str:
        """Return the id of the first wrong control, which the error summary links to."""
        wrong = next((part for part in self.parts if part.is_wrong), None)
        return self.id if wrong is None or wrong is self.parts[0] else wrong.id

    @property
    def label(self) -> str:
        return self.spec.label

    @property
    def template(self) -> str:
        if self.unanswerable:
            return "fields/not_answerable.html"
        if self.spec.provided_by_agent:
            return "fields/agent_provided.html"
        if self.is_locked:
            return "fields/accepted.html"
        return f"fields/{self.spec.control or self.spec.type_name}.html"

    @property
    def hint(self) -> str:
        if self.unanswerable:
            return f"{capfirst(self.unanswerable)}."
        return self.spec.help

    @cached_property
    def raw(self) -> Any:
        """Return the typed answer in the reader's notation, as its template needs it: text, list, or texts by part."""
        typed = self.spec.localised(self.typed)
        blank: Any = ""
        if self.spec.many:
            blank = []
        elif self.spec.parts:
            blank = {}
        return typed if isinstance(typed, type(blank)) else blank

    @cached_property
    def choices(self) -> tuple[Option, ...]:
        choices = self.share_classes if self.spec.refers_to_share_class else self.spec.choices()
        options = _options(choices, self.raw if self.spec.many else (self.raw,), self.spec.exclusive_options)
        if self.spec.listing == "currencies" and not self.spec.many:
            return _with_typed(options, self.raw)
        return options

    @property
    def suggested(self) -> SafeString:
        if self.has_suggestions_gap:
            return markup(SUGGESTIONS_GAP)
        codes = self.suggestions.of(self.spec.listing) if self.suggestions else ()
        return suggested_options(self.spec, self.raw, codes)

    @property
    def is_ticked_from_many(self) -> bool:
        """Tell whether countries or currencies are ticked in a long list, not added from an even longer list."""
        spec = self.spec
        return spec.many and bool(spec.listing) and SHORT_LIST < len(spec.options) <= _MOST_TICKED

    @cached_property
    def suggested_choices(self) -> tuple[Option, ...]:
        """Return the likeliest choices of a long list of tick boxes, shown first and not repeated among the rest."""
        if not self.suggestions or not self.is_ticked_from_many:
            return ()
        options = {option.value: option for option in self.choices}
        return tuple(options[code] for code in self.suggestions.of(self.spec.listing) if code in options)

    @property
    def is_short_list(self) -> bool:
        return 0 < len(self.choices) <= _FEW

    @property
    def read_back(self) -> str:
        return answer_in_words(self.spec, self.typed, self.share_classes)

    @property
    def doubt(self) -> str:
        if self.error:
            return ""
        return self.spec.ambiguity_note(self.typed)

    @property
    def ahead(self) -> str:
        return self.warnings.of(self.spec.name) if self.warnings else ""

    @property
    def described_by(self) -> str:
        notes = [name for name in ("hint", "note", "doubt", "ahead", "error") if getattr(self, name)]
        if self.can_have_objection:
            notes.append("objection")
        return " ".join(f"{self.id}-{name}" for name in notes)

    @property
    def can_have_objection(self) -> bool:
        """Tell whether the page needs a place below the control for an objection or advice."""
        return self.is_validated or self.spec.bounds != NO_BOUNDS

    @property
    def mark(self) -> str:
        """Return the state that the mark beside the question shows, like "open" or "met"; "" if no answer is needed."""
        if self.error or self.objection:
            return "error"
        if self.note and not self.note.is_answered:
            return "warning"
        if self.is_incomplete:
            return "open"
        if self.advice:
            return "warning"
        if self.is_locked or self.is_answered or self.given:
            return "met"
        if self.optional or self.unanswerable:
            return ""
        return "open"

    @property
    def has_one_name(self) -> bool:
        """Tell whether the question is for the first name of a person who has none."""
        return bool(self.typed == ONE_NAME)

    @property
    def is_name(self) -> bool:
        return canonical.is_set_as_name(self.spec.canonical_field)

    @property
    def autocomplete(self) -> str:
        # Browsers may fill in the reader's own data only.
        return canonical.autocomplete(self.spec.canonical_field) if self.is_own else "off"

    @cached_property
    def parts(self) -> tuple[ControlPart, ...]:
        wrong_parts = self.spec.wrong_parts(self.error_code, self.typed) if self.error else ()
        return tuple(self._part(part, is_wrong=part.name in wrong_parts) for part in self.spec.parts_for(self.raw))

    def _part(self, part: Part, *, is_wrong: bool) -> ControlPart:
        value = str(self.raw.get(part.name, ""))
        # The template itself draws the list of countries.
        choices: tuple[Option, ...] = ()
        if part.name in self.spec.chosen_parts and self.spec.listing == "currencies":
            choices = _with_typed(_options(self.spec.choices(), (value,)), value)
        return ControlPart(
            part=part,
            name=f"{self.name}:{part.name}",
            id=f"{self.id}:{part.name}",
            label=gettext(part.label),
            value=value,
            autocomplete=canonical.autocomplete(self.spec.canonical_field, part.name) if self.is_own else "off",
            choices=choices,
            is_wrong=is_wrong,
        )


def _options(choices: Iterable[Choice], chosen: Collection[str], alone: Collection[str] = ()) -> tuple[Option, ...]:
    return tuple(Option(value, label, value in chosen, value in alone) for value, label in choices)


def _with_typed(currencies: tuple[Option, ...], typed: str) -> tuple[Option, ...]:
    """Add the typed currency first if the list does not have it, so that no answer is lost."""
    if not typed or any(option.chosen for option in currencies):
        return currencies
    return (Option(typed, typed, chosen=True), *currencies)


def address_lines(address: dict[str, str]) -> tuple[str, ...]:
    """Write an address as on an envelope, with the parts that it has."""
    town = " ".join(address[part] for part in ("city", "postcode") if address.get(part))
    country = country_name(address.get("country", ""))
    lines = (address.get("street1"), address.get("street2"), town, address.get("region"), country)
    return tuple(filter(None, lines))
