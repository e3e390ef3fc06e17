"""What was typed, as the service should hold it: a reading of the interface that is independent of the contract's.

It takes the words on the page and the posted values, never the contract's classes, so that a fault there shows.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

from tests.field_types import field_type_of
from tests.journeys.actors.generic_client import GenericClient, TypedAnswer

Json = dict[str, Any]

_PARTY = re.compile(r"/people/(?P<token>[^/]+)/$")
_CLASS = re.compile(r"/shares/classes/[^/]+/$")
_SECTION = re.compile(r"/sections/[^/]+/$")
_CELL = re.compile(r"^holding:(?P<party>[^:]+):(?P<share_class>[^:]+)$")
_ROLE = re.compile(r"/people/(?P<token>[^/]+)/roles/")

# Questions that the interface's properties stand for where a schema doesn't list them.
_IMPLIED = {
    "person.first_name": "text",
    "person.last_name": "text",
    "person.email": "text",
    "corporate.name": "text",
    "corporate.registration_number": "text",
    "corporate.country": "select",
    "corporate.date_of_incorporation": "date",
    "corporate.registered_address": "address",
    "corporate.email": "text",
    "share_class.name": "text",
    "share_class.currency": "select",
    "share_class.par_value": "number",
    "share_class.voting_rights": "boolean",
    "share_class.dividend_rights": "boolean",
}


@dataclass
class Holder:
    """The answers about one party or share class, or about the entity: properties, and csp-data."""

    properties: Json = field(default_factory=dict)
    csp: Json = field(default_factory=dict)
    kind: str = ""
    roles: set[str] = field(default_factory=set)
    documents: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What tells one from another: no two names that a generic client gives are alike."""
        full = (self.properties.get("first_name"), self.properties.get("last_name"))
        return " ".join(str(part) for part in full if part) or str(self.properties.get("name", ""))


@dataclass
class ExpectedRecord:
    """Everything that was answered in one application."""

    entity: Holder = field(default_factory=Holder)
    parties: dict[str, Holder] = field(default_factory=lambda: defaultdict(Holder))
    classes: dict[str, Holder] = field(default_factory=lambda: defaultdict(Holder))
    # Party and class by their names, and the number of shares.
    holdings: dict[tuple[str, str], int] = field(default_factory=dict)


def expected_record(generic_client: GenericClient, schema: Json) -> ExpectedRecord:
    """What the client answered in the application of this schema, as JSON of the interface."""
    found = ExpectedRecord()
    answers: dict[tuple[str, str], dict[str, dict[str, TypedAnswer]]] = defaultdict(lambda: defaultdict(dict))
    cells: dict[tuple[str, str], int] = {}
    for (address, token, control), typed in generic_client.typed.items():
        where = _holder_key(address, token, typed)
        if control.startswith("q:") and where:
            _, name, *part = control.split(":")
            answers[where][unquote(name)][part[0] if part else ""] = typed
        elif control == "roles" and where and where[0] == "party":
            found.parties[where[1]].roles = set(typed.values)
        elif (cell := _CELL.match(control)) is not None:
            cells[cell["party"], cell["share_class"]] = int(typed.values[0])
    for action, fixed in generic_client.pressed:
        if (pressed := _ROLE.search(action)) is not None:
            found.parties[pressed["token"]].roles.add(fixed["role"])
        elif "kind" in fixed:
            found.parties[fixed["token"]].kind = fixed["kind"]
    _read_answers(found, answers, schema)
    for share_class in found.classes.values():
        # One without par value is sent with zero (INTERFACE.md, "Share classes").
        share_class.properties.setdefault("par_value", Decimal(0))
    _read_documents(found, generic_client)
    for (party, share_class), shares in cells.items():
        found.holdings[found.parties[party].name, found.classes[share_class].name] = shares
    return found


def _holder_key(address: str, token: str, typed: TypedAnswer) -> tuple[str, str] | None:
    """Which holder a form is about: a section by the heading of its page, a party or class by its token."""
    if party := _PARTY.search(address):
        return ("party", token if party["token"] == "new" else party["token"])
    if _CLASS.search(address):
        return ("class", token)
    return ("entity", typed.heading) if _SECTION.search(address) else None


def _read_answers(found: ExpectedRecord, answers: Mapping[tuple[str, str], Mapping[str, Any]], schema: Json) -> None:
    references = []
    for (what, which), given in answers.items():
        fields = _fields(schema, what, which)
        holder = found.entity if what == "entity" else found.parties[which] if what == "party" else found.classes[which]
        for name, parts in given.items():
            spec = fields[name]
            canonical = spec.get("canonical_field")
            *outer, last = canonical.split(".") if canonical else ("", spec.get("csp_field_key") or spec["key"])
            target = holder.properties if canonical else holder.csp
            if canonical and what == "entity" and outer and outer != ["entity"]:
                target = target.setdefault(outer[0], {})
            if spec["field_type"] == "share_class_ref":
                references.append((target, last, parts[""].values[0]))
            else:
                target[last] = value_of(spec, parts)
    for target, last, token in references:
        target[last] = ("share class", found.classes[token].name)


def _fields(schema: Json, what: str, which: str) -> dict[str, Json]:
    """The fields that a page of this kind may ask, by the name in its controls."""
    if what == "entity":
        section = next(one for one in schema["sections"] if one.get("title") == which and one["scope"] == "entity")
        return {spec["key"]: spec for spec in section["fields"]}
    scopes = "role:" if what == "party" else "share_structure"
    lists = ("person_fields", "corporate_fields", "foundation_fields", "fields")
    fields: dict[str, Json] = {
        name: {"key": name.rpartition(".")[2], "canonical_field": name, "field_type": kind}
        for name, kind in _IMPLIED.items()
    }
    for section in schema["sections"]:
        if section["scope"].startswith(scopes):
            for spec in (spec for name in lists for spec in section.get(name, ())):
                name = spec.get("canonical_field") or spec.get("csp_field_key") or spec["key"]
                fields[name if what == "party" else spec["key"]] = spec
    if what == "class":
        fields = {spec["key"]: spec for spec in fields.values()}
    return fields


def _read_documents(found: ExpectedRecord, generic_client: GenericClient) -> None:
    for sent in generic_client.sent:
        token, _, slot = dict(sent.form_values)["slot"].partition("/")
        holder = found.parties[token] if token else found.entity
        holder.documents[slot] = sent.digest


def value_of(spec: Json, parts: Mapping[str, TypedAnswer]) -> Any:
    """What was typed or chosen, as JSON of the interface (INTERFACE.md, "Values")."""
    texts = {part: _text(typed.values[-1]) for part, typed in parts.items() if typed.values}
    return field_type_of(spec["field_type"]).read(spec, texts, parts)


def _text(typed: str) -> str:
    return unicodedata.normalize("NFC", typed.replace("\r\n", "\n").strip())
