"""The few canonical names that the code treats in a special way, which a schema may lack.

Names are those of the interface (INTERFACE.md, "Field", "Parties", "Share classes").
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from .fields.base import FieldSpec
from .fields.cleaning import clean_line
from .fields.parsing import mapping_or_empty
from .localisation import gettext, gettext_noop, ngettext

FIRST_NAME = "person.first_name"
# The first name at the service of a person with one name only. Ours is "" (INTERFACE.md, "Parties").
ONE_NAME_PLACEHOLDER = "-"
ENTITY_NAME = "entity.name"
ENTITY_NAME_ENDING = "entity.name_ending"
# The number of existing shares: of all classes together, and of one class.
ENTITY_SHARES = "entity.number_of_shares"
CLASS_SHARES = "share_class.maximum_shares"
SHAREHOLDER = "shareholder"
BENEFICIAL_OWNER = "ubo"

# The roles that the interface names (INTERFACE.md, "Parties").
ROLES = frozenset({"director", SHAREHOLDER, BENEFICIAL_OWNER, "member", "supervisor", "manager", "officer"})

PARTY_KINDS = ("person", "corporate", "foundation")
# Companies have owners; foundations have none.
PERSON = "person"
COMPANY = "corporate"
# The interface has other words for kinds of party in lists of document slots (INTERFACE.md, "Document slots").
SLOT_KEYS = {"person": "person", "corporate": "entity", "foundation": "foundation"}
KIND_WORDS = {
    "person": gettext_noop("person"),
    "corporate": gettext_noop("company"),
    "foundation": gettext_noop("foundation"),
}
_KINDS = {
    "person": gettext_noop("Person"),
    "corporate": gettext_noop("Company"),
    "foundation": gettext_noop("Foundation"),
}
_UNNAMED = {
    "person": gettext_noop("Unnamed person"),
    "corporate": gettext_noop("Unnamed company"),
    "foundation": gettext_noop("Unnamed foundation"),
}

_ROLE_WORDS = {BENEFICIAL_OWNER: "beneficial owner"}
# The y of secretary, secretaries; not of attorney.
_Y = re.compile(r"(?<![aeiou])y$")
_NAME_PROPERTIES = ("name", "first_name", "middle_names", "last_name", "former_name", "legal_name")
# Properties that hold a name: `proposed_name_2`, `representative_name`.
_NAMELIKE = re.compile(r"(?:\w+_)?names?(?:_\d+)?")
# Properties that hold an e-mail address: `email`, `contact_email`, `email_address_2`.
_EMAIL = re.compile(r"(?:\w+_)?email(?:_address)?(?:_\d+)?")
# The last word of properties that hold a document's expiry date: `passport_expiry`.
_EXPIRY_WORDS = ("expiry", "expiration")
# Properties that hold an identity number: `passport_number`, `tax_number_2`, but not `phone_number`.
_NUMBER = re.compile(r"(?:(?!\w*phone)\w+_)?number(?:_\d+)?")
# HTML's autocomplete tokens (WCAG 1.3.5) by the last part of the canonical name, and those of the parts of a date of
# birth and of a home address. Only for the signed-in person's own data.
_AUTOCOMPLETE = {
    "first_name": "given-name",
    "middle_names": "additional-name",
    "last_name": "family-name",
    "email": "email",
    "phone": "tel",
    "date_of_birth": "bday",
    "occupation": "organization-title",
}
_BIRTH_TOKENS = {"day": "bday-day", "month": "bday-month", "year": "bday-year"}
_HOME_TOKENS = {
    "street1": "address-line1",
    "street2": "address-line2",
    "city": "address-level2",
    "region": "address-level1",
    "postcode": "postal-code",
    "country": "country",
}
_PART_TOKENS = {"date_of_birth": _BIRTH_TOKENS, "residential_address": _HOME_TOKENS, "home_address": _HOME_TOKENS}


def property_of(canonical_field: str | None) -> str:
    """Return the last part of a party's or class's canonical field, under which the answer is sent; "" for None."""
    return (canonical_field or "").rpartition(".")[2]


def path_of(canonical_field: str) -> tuple[str, ...]:
    """Return the path of an entity's canonical field in the record: `entity.x` is x, `other.x` is x within other."""
    prefix, _, rest = canonical_field.partition(".")
    if not rest:
        return (prefix,)
    return (rest,) if prefix == "entity" else (prefix, rest)


def is_of_party(canonical_field: str | None) -> bool:
    """Tell whether the answer identifies a party in any role: `person.first_name`, but not `party.is_nominee`."""
    return (canonical_field or "").partition(".")[0] in PARTY_KINDS


def entity_name(raw: Mapping[str, Any]) -> str:
    """Return the entity's name with its ending, as a register shows it; "" without a name."""
    texts = [raw.get(key) for key in (ENTITY_NAME, ENTITY_NAME_ENDING)]
    name, ending = [clean_line(text) if isinstance(text, str) else "" for text in texts]
    has_ending = f" {name.casefold()}".endswith(f" {ending.casefold()}")
    if not name or not ending or has_ending:
        return name
    return f"{name} {ending}"


def is_name(canonical_field: str | None) -> bool:
    return property_of(canonical_field) in _NAME_PROPERTIES


def is_set_as_name(canonical_field: str | None) -> bool:
    """Tell whether the answer is set in the typeface of names, like a name or a second proposed name."""
    return _NAMELIKE.fullmatch(property_of(canonical_field)) is not None


def autocomplete(canonical_field: str | None, part: str = "") -> str:
    """Return the HTML autocomplete token of an answer or its part for the reader's own data, or ""."""
    name = property_of(canonical_field)
    return _PART_TOKENS.get(name, {}).get(part, "") if part else _AUTOCOMPLETE.get(name, "")


def is_email(canonical_field: str | None) -> bool:
    return _EMAIL.fullmatch(property_of(canonical_field)) is not None


def expiring_document(canonical_field: str | None) -> str:
    """Return the document whose expiry date the answer gives: `passport` for `person.passport_expiry`, else ""."""
    document, _, last = property_of(canonical_field).rpartition("_")
    return document.replace("_", " ") if last in _EXPIRY_WORDS else ""


def is_identity_number(canonical_field: str | None, *, kind: str) -> bool:
    """Tell whether the answer is an identity number of a natural person. Numbers of companies are public."""
    return kind == PERSON and _NUMBER.fullmatch(property_of(canonical_field)) is not None


def role_word(role: str) -> str:
    """Return the name of a role in the reader's language: `ubo` is a beneficial owner."""
    return gettext(english_role(role))


def list_roles(roles: Iterable[str]) -> str:
    """Name roles in one line, like "Director, beneficial owner"; "" for none."""
    text = ", ".join(map(role_word, roles))
    return text[:1].upper() + text[1:]


def role_count(role: str, count: int) -> str:
    return ngettext(*role_count_messages(english_role(role)), count)


def role_count_messages(word: str) -> tuple[str, str]:
    """Return the messages that count the holders of a role: {count} director, {count} directors."""
    plain = word.replace("{", "{{").replace("}", "}}")
    return f"{{count}} {plain}", f"{{count}} {_Y.sub('ie', plain)}s"


def english_role(role: str) -> str:
    """Return the English name of a role, which is also its key in the translations."""
    return _ROLE_WORDS.get(role, role.replace("_", " ").replace("-", " "))


def kind_title(kind: str) -> str:
    return gettext(_KINDS.get(kind, kind.capitalize()))


def unnamed_label(kind: str) -> str:
    return gettext(_UNNAMED.get(kind, gettext_noop("Somebody without a name")))


def label_of(properties: Mapping[str, Any]) -> str:
    """Return the name of a party or class from its properties; "" without one."""
    names = [properties.get(part) for part in ("first_name", "last_name")]
    full = " ".join(str(name) for name in names if name and name != ONE_NAME_PLACEHOLDER)
    return full or str(properties.get("name") or properties.get("legal_name") or "")


Identity = tuple[str, str, str]

# Properties that tell two parties of the same name apart.
_DISTINGUISHING = ("date_of_birth", "registration_number", "country", "email")


def canonical_properties(fields: Iterable[FieldSpec], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers to fields with a canonical name, by property."""
    properties = {}
    for spec in fields:
        if spec.canonical_field and spec.name in values:
            properties[property_of(spec.canonical_field)] = values[spec.name]
    return properties


def raw_answers(
    fields: Iterable[FieldSpec], record: Mapping[str, Any], csp: Mapping[str, Any], *, of_entity: bool = False
) -> dict[str, Any]:
    """Return the answers by field name, as `record.validate` reads them, from the holder's record at the service."""
    raw = dict(csp)
    for spec in fields:
        if spec.canonical_field:
            path = path_of(spec.canonical_field) if of_entity else (property_of(spec.canonical_field),)
            value: Any = record
            for step in path:
                value = mapping_or_empty(value).get(step)
            if value is not None:
                raw[spec.name] = value
    return raw


def identity(kind: str, properties: Mapping[str, Any]) -> Identity | None:
    """Return a key that is equal for two entries of the same person or company; None without enough properties."""
    number = properties.get("registration_number")
    country = properties.get("country")
    if number and country:
        return (kind, "".join(filter(str.isalnum, _normalised(number))), str(country))
    name = normalised_name(properties)
    birth = properties.get("date_of_birth")
    return (kind, name, str(birth)) if name and birth else None


def may_be_same(kind: str, properties: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Tell whether two entries of one name may be one party: identities are equal, or no property tells them apart."""
    first = identity(kind, properties)
    second = identity(kind, others)
    if first and second:
        return first == second
    for name in _DISTINGUISHING:
        if properties.get(name) and others.get(name) and properties[name] != others[name]:
            return False
    return True


def normalised_name(properties: Mapping[str, Any]) -> str:
    """Return a party's name for comparison, in lower case with single spaces; "" without a name."""
    return _normalised(label_of(properties))


def _normalised(text: Any) -> str:
    return " ".join(unicodedata.normalize("NFKC", str(text)).casefold().split())
