"""A question as the field templates draw it (templates/fields/, one per field type).

No form class of Django's: the contract reads and validates what is posted, so a form would only repeat it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.applications.readback import answer_in_words
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import Choice, FieldSpec, Part
from formation_portal.contract.fields.bounds import NO_BOUNDS
from formation_portal.contract.fields.iso_codes import country_name
from formation_portal.reviews.models import MAX_TEXT

from .controls import (
    SHORT_LIST,
    SUGGESTIONS_GAP,
    Option,
    Suggestions,
    control_id,
    markup,
    no_suggestions,
    suggested_options,
)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer as ui/summary_row.html draws it."""

    term: str
    value: str
    is_name: bool = False
    note: str = ""
    # Where it can be changed: the row's own id, its mark, and the way to the control.
    id: str = ""
    state: str = ""
    change_url: str = ""
    change_what: str = ""


@dataclass(frozen=True, slots=True)
class QueryNote:
    """`use` is the answer that is proposed, in words; empty where none is, or where it stands there already."""

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
        """The id of its words where no control is described by it."""
        return f"asked-{self.number}"

    @property
    def is_answered(self) -> bool:
        """Whether something was done about it since it came back, or said to it."""
        return self.is_changed or bool(self.reply)


# A choice among so few is seen best when all of it is on the page.
_FEW = 6
# Of more, those that are chosen are shown, and a list to add from (fields/multi_select.html).
_MOST_TICKED = 40


@dataclass(frozen=True, slots=True)
class ControlPart:
    """One control of an answer that has several."""

    part: str
    name: str
    id: str
    label: str
    value: str
    autocomplete: str
    choices: tuple[Option, ...]
    suggestions: tuple[str, ...]
    optional: bool
    is_wrong: bool


@dataclass(frozen=True)
class Question:
    """One field, what was typed there, and what there is to say about it."""

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
    # By name, what another answer can set aside, where that is much.
    warnings: Callable[[], Mapping[str, str]] = dict
    # Why an answer that can be read cannot be true; it is saved, and stands in the way of submitting only.
    objection: str = ""
    # What is worth a second look in the answer; it never stands in the way.
    advice: str = ""
    # Parts of the answer are missing, and none is wrong.
    is_incomplete: bool = False
    # What the error is, where it is known: the code of a problem (contract/fields/values.py).
    error_code: str = ""
    # Whether our reviewer has accepted the answer, so that it is only read; and what they ask about it.
    is_locked: bool = False
    note: QueryNote | None = None
    # What stands first in its list, where that is long; None leaves a gap there, to be filled by whoever draws.
    suggestions: Suggestions | None = no_suggestions

    @property
    def id(self) -> str:
        """The id of the first control, which the needs list links to."""
        return control_id(self.name)

    @property
    def error_id(self) -> str:
        """The id of the first control that is wrong, which the error summary links to."""
        wrong = next((place for place, one in enumerate(self.parts) if one.is_wrong), 0)
        return self.parts[wrong].id if wrong else self.id

    @property
    def label(self) -> str:
        return self.spec.label

    @property
    def is_asked(self) -> bool:
        """Whether there is anything to answer; an address of the agent's is only shown."""
        return not self.spec.provided_by_agent and not self.unanswerable

    @property
    def template(self) -> str:
        if self.spec.provided_by_agent and not self.unanswerable:
            return "fields/agent_provided.html"
        if self.is_locked and not self.unanswerable:
            return "fields/accepted.html"
        return "fields/not_answerable.html" if self.unanswerable else f"fields/{self.spec.template}.html"

    @property
    def hint(self) -> str:
        if self.unanswerable:
            return f"{self.unanswerable[0].upper()}{self.unanswerable[1:]}."
        return self.spec.help

    @cached_property
    def raw(self) -> Any:
        """As typed, in the notation of the page and the shape that the template draws: text, list, or text by part."""
        return raw_of(self.spec, self.typed)

    @cached_property
    def choices(self) -> tuple[Option, ...]:
        """What can be chosen. Worked out only where a template asks: lists of countries are long."""
        offered = self.share_classes if self.spec.refers_to_share_class else self.spec.choices()
        chosen = set(self.raw) if self.spec.many else {self.raw}
        rows = _rows(offered, chosen, alone=frozenset(self.spec.exclusive_options))
        return rows if self.spec.many or self.spec.listing != "currencies" else _with_what_was_typed(rows, self.raw)

    @property
    def suggested(self) -> SafeString:
        """The likely ones, as the first options of a long list."""
        if self.suggestions is None:
            return markup(SUGGESTIONS_GAP)
        return suggested_options(self.spec, self.raw, self.suggestions().get(self.spec.listing, ()))

    @property
    def is_ticked_from_many(self) -> bool:
        """Whether countries or currencies are ticked in a list that takes some looking, and isn't one to add from."""
        return is_ticked_from_many(self.spec)

    @cached_property
    def suggested_choices(self) -> tuple[Option, ...]:
        """The likely ones of a long list of tick boxes, where each stands once: first, and not again among the rest."""
        if not self.suggestions or not self.is_ticked_from_many:
            return ()
        offered = {one.value: one for one in self.choices}
        return tuple(offered[code] for code in self.suggestions().get(self.spec.listing, ()) if code in offered)

    @property
    def is_short_list(self) -> bool:
        """Whether all choices are shown at once instead of in a list."""
        return 0 < len(self.choices) <= _FEW

    @property
    def read_back(self) -> str:
        return answer_in_words(self.spec, self.typed, self.share_classes)

    @property
    def hidden_values(self) -> tuple[str, ...]:
        """What is chosen, for the rules that the page looks up; an answer that is only read has no control."""
        return () if self.spec.parts else tuple(choice.value for choice in self.choices if choice.chosen)

    @property
    def doubt(self) -> str:
        """How the answer was read, where it could have been meant otherwise."""
        return "" if self.error else self.spec.ambiguity_note(self.typed)

    @property
    def ahead(self) -> str:
        """What another answer can set aside."""
        return self.warnings().get(self.spec.name, "")

    @property
    def described_by(self) -> str:
        notes = [name for name in ("hint", "note", "doubt", "ahead", "error") if getattr(self, name)]
        if self.has_bounds:
            notes.append("objection")
        return " ".join(f"{self.id}-{name}" for name in notes)

    @property
    def has_bounds(self) -> bool:
        """Report that the answer may turn out to be impossible, so that the page has a place to say so."""
        return self.spec.bounds != NO_BOUNDS

    @property
    def mark(self) -> str:
        """Return the mark on the spine: to be corrected, answered, or still to be answered; "" where none is needed."""
        if self.error or self.objection:
            return "stop"
        if self.note and not self.note.is_answered:
            return "heed"
        if self.is_incomplete:
            return "open"
        if self.advice:
            return "heed"
        if self.is_locked:
            return "met"
        if self.is_answered or self.given:
            return "met"
        return "" if self.optional or self.unanswerable else "open"

    @property
    def is_name(self) -> bool:
        return canonical.is_set_as_name(self.spec.canonical_field)

    @property
    def autocomplete(self) -> str:
        """Only one's own data may be filled in by the browser; it would put the reader into another's place."""
        return canonical.autocomplete(self.spec.canonical_field) if self.is_own else "off"

    @property
    def is_email(self) -> bool:
        return canonical.is_email(self.spec.canonical_field)

    @property
    def inputmode(self) -> str:
        return "email" if self.is_email else ""

    @property
    def spellcheck(self) -> bool | None:
        return False if self.is_name or self.is_email else None

    @cached_property
    def parts(self) -> tuple[ControlPart, ...]:
        """The controls of an answer that has several, each with its own label."""
        wrong = self.spec.wrong_parts(self.error_code, self.typed) if self.error else ()
        return tuple(self._part(part, is_wrong=part.name in wrong) for part in self.spec.parts_for(self.raw))

    def _part(self, part: Part, *, is_wrong: bool) -> ControlPart:
        value = str(self.raw.get(part.name, ""))
        token = self.autocomplete
        # None for countries, whose list the template draws.
        offered = self.spec.choices() if part.name in self.spec.chosen_parts else ()
        return ControlPart(
            part=part.name,
            name=f"{self.name}:{part.name}",
            id=f"{self.id}:{part.name}",
            label=gettext(part.label),
            value=value,
            autocomplete=token if token in ("", "off") else f"{token}-{part.name}",
            choices=_with_what_was_typed(_rows(offered, {value}), value) if offered else (),
            suggestions=part.suggestions,
            optional=part.is_optional,
            is_wrong=is_wrong,
        )


def raw_of(spec: FieldSpec, typed: Any) -> Any:
    """What was typed in the notation of the page and the shape that the template draws: text, list, or text by part."""
    typed = spec.localised(typed)
    if spec.many:
        return typed if isinstance(typed, list) else []
    if spec.parts:
        return typed if isinstance(typed, dict) else {}
    return typed if isinstance(typed, str) else ""


def is_ticked_from_many(spec: FieldSpec) -> bool:
    """Whether countries or currencies are ticked in a list that takes some looking, and isn't one to add from."""
    return spec.many and bool(spec.listing) and SHORT_LIST < len(spec.options) <= _MOST_TICKED


def _rows(offered: Iterable[Choice], chosen: set[str], alone: frozenset[str] = frozenset()) -> tuple[Option, ...]:
    return tuple(Option(one.value, one.label, one.value in chosen, one.value in alone) for one in offered)


def _with_what_was_typed(currencies: tuple[Option, ...], typed: str) -> tuple[Option, ...]:
    """Those to choose from, and one that was typed before, though it is none of them: nothing is lost."""
    is_listed = not typed or any(one.chosen for one in currencies)
    return currencies if is_listed else (Option(typed, typed, chosen=True), *currencies)


def address_lines(address: dict[str, str]) -> tuple[str, ...]:
    """An address as it is written on an envelope; whatever parts it has."""
    town = " ".join(address[part] for part in ("city", "postcode") if address.get(part))
    lines = (address.get("street1", ""), address.get("street2", ""), town, address.get("region", ""))
    country = country_name(address["country"]) if address.get("country") else ""
    return tuple(line for line in (*lines, country) if line)
