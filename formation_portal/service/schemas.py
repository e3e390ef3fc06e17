"""Shared schemas: bodies, envelopes, problems, ids and texts with documented patterns."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar

from annotated_types import Ge, Le
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_after_validator_function

from formation_portal.contract.fields.cleaning import BRAILLE_BLANK, DEFAULT_IGNORABLE, WHITE_SPACE
from formation_portal.core.integers import parse_integer
from formation_portal.service import identifiers
from formation_portal.service.problems import refusal

Item = TypeVar("Item")

# The contract accepts no control characters other than white space (cleaning.py and parsing.py).
_CONTROLS = r"\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffd"
LINE = f"^[^{_CONTROLS}]*$"
WORDS = f"^[^{_CONTROLS}]*[^{_CONTROLS}{WHITE_SPACE}{DEFAULT_IGNORABLE}{BRAILLE_BLANK}][^{_CONTROLS}]*$"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A documented pattern of a text. A text that does not match it is refused with `detail` about {name}."""

    pattern: str
    detail: str
    code: str = "invalid"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "pattern": self.pattern}

    def _check(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise refusal(self.code, self.detail)
        return text


def documented_text(pattern: str, *, limit: int) -> Any:
    """Return an annotation that documents a text's pattern, which the contract enforces."""
    return WithJsonSchema({"type": "string", "maxLength": limit, "pattern": pattern})


def format_time(moment: datetime) -> str:
    """Format a time as in RFC 3339, in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _id_schema(prefix: str) -> Any:
    return WithJsonSchema({"type": "string", "pattern": identifiers.pattern_of(prefix)})


def integral(value: Any) -> Any:
    """Return a whole number as an int, since JSON does not tell 5.0 from 5; any other value as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# The pattern of an id is documented, not enforced: a malformed one is answered with 404 like an unknown one.
EntityId = Annotated[str, _id_schema(identifiers.ENTITY)]
PartyId = Annotated[str, _id_schema(identifiers.PARTY)]
ShareClassId = Annotated[str, _id_schema(identifiers.SHARE_CLASS)]
ShareholdingId = Annotated[str, _id_schema(identifiers.SHAREHOLDING)]
DocumentId = Annotated[str, _id_schema(identifiers.DOCUMENT)]
WebhookId = Annotated[str, _id_schema(identifiers.WEBHOOK)]
Uuid = Annotated[str, WithJsonSchema({"type": "string", "format": "uuid"})]
Time = Annotated[datetime, PlainSerializer(format_time), WithJsonSchema({"type": "string", "format": "date-time"})]

Line = Annotated[str, documented_text(LINE, limit=500)]
Words = Annotated[str, documented_text(WORDS, limit=500)]
RoleName = Annotated[
    str, Pattern(r"^[a-z][a-z0-9_-]{0,49}$", "{name} must be a role in lower case, like director.", "unknown_role")
]


def distinct(values: list[Item]) -> list[Item]:
    """Return the values. Raises PydanticCustomError if one is repeated."""
    if len(set(values)) < len(values):
        raise refusal("duplicate", "{name} must have each entry only once.")
    return values


Roles = Annotated[
    list[RoleName], Field(max_length=20, json_schema_extra={"uniqueItems": True}), AfterValidator(distinct)
]


class StrictBody(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class OpenBody(BaseModel):
    """A body that may also have properties of the entity's form schema, which the contract checks."""

    model_config = ConfigDict(strict=True, extra="allow")

    @property
    def properties(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class RecordOut(BaseModel):
    """An answer whose members are read from a row of the database."""

    model_config = ConfigDict(from_attributes=True)


class One(BaseModel, Generic[Item]):
    """An answer with one record (INTERFACE.md, "Where answers go")."""

    data: Item


PER_PAGE = 20
MAX_PER_PAGE = 100
LAST_PAGE = 1_000_000


def _only_digits(value: Any) -> Any:
    """Refuse a number in a query that is not only digits: pydantic would take "1_0" and " 1" too."""
    if isinstance(value, str) and parse_integer(value, digits=9) is None:
        raise refusal("invalid", "{name} must be a whole number of at most nine digits, like 1.")
    return value


class Paging(BaseModel):
    """The page of a list that a query asks for."""

    page: Annotated[int, Ge(1), Le(LAST_PAGE), BeforeValidator(_only_digits)] = 1
    per_page: Annotated[int, Ge(1), Le(MAX_PER_PAGE), BeforeValidator(_only_digits)] = PER_PAGE


class PageMeta(BaseModel):
    """The position of a page in its list (INTERFACE.md, "Envelopes, pages, errors")."""

    page: int
    per_page: int
    total: int
    total_pages: int


class Page(BaseModel, Generic[Item]):
    """An answer with a page of a list."""

    data: list[Item]
    meta: PageMeta


class ProblemError(BaseModel):
    """An error of a request or, on submit, a missing answer or document."""

    pointer: str
    field: str | None = None
    code: str
    detail: str
    section: str | None = None
    party_id: str | None = None
    share_class_id: str | None = None
    slot: str | None = None


class Problem(BaseModel):
    """A refusal. `code` is stable; `existing_id` names the record that a conflict is with."""

    type: str
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    instance: str
    code: str
    errors: list[ProblemError]
    request_id: str
    existing_id: str | None = None
