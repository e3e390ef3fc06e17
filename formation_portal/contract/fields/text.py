"""The types of text: a line, several lines, a telephone number."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import phonenumbers

from .. import canonical
from ..conditions import count_of
from ..localisation import gettext, gettext_noop
from . import parsing
from .base import FieldSpec
from .bounds import Bounds, Days, Objection
from .cleaning import plain_email
from .values import AnswerError, PostData, Raw

_EMAIL_LIMIT = 254
# Words with single points between them, and a domain of two labels or more, the last no number.
_LOCAL = r"""[^\s.@,;:<>()\[\]\\"]+"""
_LABEL = r"[^\W_](?:(?:[^\W_]|-)*[^\W_])?"
_EMAIL = re.compile(rf"{_LOCAL}(?:\.{_LOCAL})*@(?:{_LABEL}\.)+(?!\d+$)(?=..){_LABEL}")

# 00 stands for +, also in (00) 41 and in 00-41.
_INTERNATIONAL_PREFIX = re.compile(r"^\W*00\W*", re.ASCII)

_WORDS_BEHIND = re.compile(r"\+.*\d.*[^\W\d_]")
_LETTERS_WITHIN = re.compile(r"\+.*\d.*[^\W\d_].*\d")


@dataclass(frozen=True, slots=True)
class TextBounds(Bounds):
    members: ClassVar[tuple[str, ...]] = ("max_length",)

    max_length: int | None = None

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        return count_of(value) or None

    def _objections(self, value: str, spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        if self.max_length is not None and len(value) > self.max_length:
            counts = {"label": spec.label, "limit": self.max_length, "length": len(value)}
            generic = gettext("Shorten “{label}” to {limit} characters or fewer. It has {length}", **counts)
            excess = Decimal(len(value) - self.max_length)
            yield Objection("too_long", self._sentence("max_length", spec, generic), excess)


class TextField(FieldSpec):
    """A line of text of at most 500 characters; an e-mail address where the canonical name says so."""

    type_name: ClassVar[str] = "text"
    bounds_type: ClassVar[type[Bounds]] = TextBounds

    def valid_answer(self) -> Any:
        return "name@example.com" if canonical.is_email(self.canonical_field) else self.example

    def valid_answers(self) -> tuple[Any, ...]:
        if canonical.is_email(self.canonical_field):
            return ("name@example.com", "other@example.com")
        return ("Test", "Trial", "Probe")

    def _parse(self, raw: Any) -> str:
        text = parsing.line(raw, label=self.label)
        if not canonical.is_email(self.canonical_field):
            return text
        text = plain_email(text)
        if len(text) > _EMAIL_LIMIT or not _EMAIL.fullmatch(text):
            message = gettext("Enter “{label}” as an e-mail address, like name@example.com", label=self.label)
            raise AnswerError("not_an_email_address", message)
        return text


_ONE_NAME_TICK = "one_name"
# The first name of a person who has one name only, as a draft stores it; it is read as "" (INTERFACE.md, "Parties").
ONE_NAME: Raw = {_ONE_NAME_TICK: "true"}


class FirstNameField(TextField):
    """A person's first name, or the tick that the person has one name only, which is the last name."""

    control: ClassVar[str] = "first_name"
    ticks: ClassVar[tuple[str, ...]] = (_ONE_NAME_TICK,)
    cell_hint: ClassVar[str] = gettext_noop("Enter - for a person with only one name, which is the last name.")

    def from_post(self, post: PostData, control: str) -> Raw | None:
        if post.get(f"{control}:{_ONE_NAME_TICK}"):
            return ONE_NAME
        return _tick_or_text(super().from_post(post, control))

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return _tick_or_text(super().from_cells(texts)) or ""

    def _parse(self, raw: Any) -> str:
        return "" if raw == ONE_NAME else super()._parse(raw)

    def display(self, value: Any) -> str:
        return str(value) or gettext("Has only one name")


def _tick_or_text(typed: Raw | None) -> Raw | None:
    return ONE_NAME if isinstance(typed, str) and typed.strip() == canonical.ONE_NAME_PLACEHOLDER else typed


class TextareaField(FieldSpec):
    """Several lines of text, with at most 10,000 characters."""

    type_name: ClassVar[str] = "textarea"
    max_length: ClassVar[int] = parsing.LINES_LIMIT
    bounds_type: ClassVar[type[Bounds]] = TextBounds

    def _parse(self, raw: Any) -> str:
        return parsing.lines(raw, label=self.label)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return texts.get("", "")


class PhoneField(FieldSpec):
    """A telephone number in any notation with its country code; sent as E.164."""

    type_name: ClassVar[str] = "phone"
    example: ClassVar[Any] = "+41446681800"
    payload_hint: ClassVar[str] = "a telephone number with its country code as a text, like +41446681800"
    cell_hint: ClassVar[str] = gettext_noop("Include the country code, like +41 41 728 80 00.")

    def ambiguity_note(self, raw: Any) -> str:
        """Return that an extension is not sent, since E.164 has none; "" for a number without one."""
        try:
            extension = self._number(raw).extension
        except AnswerError:
            return ""
        if not extension:
            return ""
        return gettext("We send this number without the extension {extension}.", extension=extension)

    def _parse(self, raw: Any) -> str:
        number = self._number(raw)
        return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))

    def _number(self, raw: Any) -> phonenumbers.PhoneNumber:
        text = _INTERNATIONAL_PREFIX.sub("+", parsing.ascii_digits(parsing.line(raw, label=self.label)))
        try:
            number = phonenumbers.parse(text)
        except phonenumbers.NumberParseException:
            number = None
        # The library drops letters between the digits, which may be a slip. Those before an extension are none.
        has_slip = number is not None and not number.extension and _LETTERS_WITHIN.search(text)
        if number is not None and not has_slip and phonenumbers.is_possible_number(number):
            return number
        if _WORDS_BEHIND.search(text):
            message = gettext("Enter “{label}” as one number without words, like +41 41 728 80 00", label=self.label)
        else:
            message = gettext("Enter “{label}” with the country code, like +41 41 728 80 00", label=self.label)
        raise AnswerError("not_a_phone_number", message)

    def display(self, value: Any) -> str:
        number = phonenumbers.parse(value)
        return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL).replace(" ", "\u00a0")
