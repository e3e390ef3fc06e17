"""The few canonical names that carry behaviour. Where a schema lacks the name, it lacks the behaviour.

Names are those of the interface ("Field", "Party") and of the supplement ("Parties", "Share classes, shareholdings").
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from .fields.base import FieldSpec
from .fields.cleaning import clean_line
from .localisation import gettext, gettext_noop, ngettext

ENTITY_PREFIX = "entity"
ENTITY_NAME = "entity.name"
ENTITY_NAME_ENDING = "entity.name_ending"
# How many shares there are to give: of all classes together, and of one.
ENTITY_SHARES = "entity.number_of_shares"
CLASS_SHARES = "share_class.maximum_shares"
SHAREHOLDER = "shareholder"
BENEFICIAL_OWNER = "ubo"

# The roles that the interface names ("Section", "Roles"): what a service says of who has them can be understood.
ROLES = frozenset({"director", SHAREHOLDER, BENEFICIAL_OWNER, "member", "supervisor", "manager", "officer"})

PARTY_KINDS = ("person", "corporate", "foundation")
# A person stands for nobody else. Companies belong to somebody; foundations belong to nobody.
PERSON = "person"
COMPANY = "corporate"
# In a list of document slots a company goes by another word (interface, "Document slots").
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
# A secretary, secretaries; but attorneys.
_Y = re.compile(r"(?<![aeiou])y$")
_NAME_PROPERTIES = ("name", "first_name", "middle_names", "last_name", "former_name", "legal_name")
# A name among several says by its own words that it is one: `proposed_name_2`, `representative_name`.
_NAMELIKE = re.compile(r"(?:\w+_)?names?(?:_\d+)?")
# How a property ends that holds an e-mail address: `email`, `contact_email`, `email_address_2`.
_EMAIL = re.compile(r"(?:\w+_)?email(?:_address)?(?:_\d+)?")
# How a property ends that says until when a paper is good: `passport_expiry`.
_EXPIRY_WORDS = ("expiry", "expiration")
# How a property ends that holds a number somebody is known by: `passport_number`, `tax_number_2`; but `phone_number`.
_NUMBER = re.compile(r"(?:(?!\w*phone)\w+_)?number(?:_\d+)?")
# WCAG 1.3.5 tokens, by the last part of the canonical name; only for the signed-in person's own data.
_AUTOCOMPLETE = {
    "first_name": "given-name",
    "middle_names": "additional-name",
    "last_name": "family-name",
    "email": "email",
    "phone": "tel",
    "date_of_birth": "bday",
    "occupation": "organization-title",
}


def property_of(canonical_field: str) -> str:
    """The property that a party's or class's canonical field is sent as: its last part, whatever the prefix."""
    return canonical_field.rpartition(".")[2]


def path_of(canonical_field: str) -> tuple[str, ...]:
    """Where an entity's canonical field stands in the record: `entity.x` is x, `other.x` is x within other."""
    prefix, _, rest = canonical_field.partition(".")
    if not rest:
        return (prefix,)
    return (rest,) if prefix == ENTITY_PREFIX else (prefix, rest)


def is_of_party(canonical_field: str | None) -> bool:
    """Whether the answer says who a party is, whatever its role: `person.first_name`, but not `party.is_nominee`."""
    return canonical_field is not None and canonical_field.partition(".")[0] in PARTY_KINDS


def is_person(kind: str) -> bool:
    """Whether a party of the kind is a natural person, behind whom nobody stands."""
    return kind == PERSON


def is_owned(kind: str) -> bool:
    """Whether a party of the kind has owners."""
    return kind == COMPANY


def entity_name(raw: Mapping[str, Any]) -> str:
    """The entity's name with the ending that goes with it, as a register shows it; empty while it has no name."""
    name, ending = (
        clean_line(one) if isinstance(one := raw.get(key), str) else "" for key in (ENTITY_NAME, ENTITY_NAME_ENDING)
    )
    has_ending = f" {name.casefold()}".endswith(f" {ending.casefold()}")
    return name if not name or not ending or has_ending else f"{name} {ending}"


def is_name(canonical_field: str | None) -> bool:
    """Whether the answer will stand in a register as somebody's name."""
    return canonical_field is not None and property_of(canonical_field) in _NAME_PROPERTIES


def is_set_as_name(canonical_field: str | None) -> bool:
    """Whether the answer is set as a register prints names, be it anybody's in the end or not: a second choice."""
    return canonical_field is not None and _NAMELIKE.fullmatch(property_of(canonical_field)) is not None


def autocomplete(canonical_field: str | None) -> str:
    """The HTML autocomplete token for one's own data, or nothing."""
    return _AUTOCOMPLETE.get(property_of(canonical_field), "") if canonical_field else ""


def is_email(canonical_field: str | None) -> bool:
    """Whether the answer is an e-mail address."""
    return canonical_field is not None and _EMAIL.fullmatch(property_of(canonical_field)) is not None


def is_date_of_birth(canonical_field: str | None) -> bool:
    """Whether the answer says when somebody was born."""
    return canonical_field is not None and property_of(canonical_field) == "date_of_birth"


def expiring_document(canonical_field: str | None) -> str:
    """What the answer says the end of, in words: `passport` for `person.passport_expiry`; empty for any other."""
    paper, _, last = property_of(canonical_field or "").rpartition("_")
    return paper.replace("_", " ") if last in _EXPIRY_WORDS else ""


def is_identity_number(canonical_field: str | None, *, kind: str) -> bool:
    """Whether the answer of a party of the kind is a number that a natural person is known by: of a passport, of taxes.

    Those of companies are public, and a telephone's is for calling.
    """
    named = property_of(canonical_field or "")
    return is_person(kind) and _NUMBER.fullmatch(named) is not None


def role_word(role: str) -> str:
    """A role in words, the reader's where they are known: `ubo` is a beneficial owner, any other its own name."""
    return gettext(english_role(role)) if role else ""


def role_count(role: str, count: int) -> str:
    """1 director, 2 directors: so many in the role."""
    return ngettext(*role_count_messages(english_role(role)), count)


def role_count_messages(word: str) -> tuple[str, str]:
    """The messages that count those in a role, by its English word: {count} director, {count} directors."""
    plain = word.replace("{", "{{").replace("}", "}}")
    return f"{{count}} {plain}", f"{{count}} {_Y.sub('ie', plain)}s"


def english_role(role: str) -> str:
    """A role in words, as the translations know it."""
    return _ROLE_WORDS.get(role, role.replace("_", " ").replace("-", " "))


def kind_title(kind: str) -> str:
    """A kind of party, as a heading."""
    return gettext(_KINDS[kind]) if kind in _KINDS else kind.capitalize()


def unnamed_label(kind: str) -> str:
    """What to call a party before it has a name."""
    return gettext(_UNNAMED.get(kind, gettext_noop("Somebody without a name")))


def label_of(properties: dict[str, Any]) -> str:
    """What people call a party or class, from its properties; empty while nobody has named it."""
    full = " ".join(str(properties[part]) for part in ("first_name", "last_name") if properties.get(part))
    return full or str(properties.get("name") or properties.get("legal_name") or "")


Identity = tuple[str, str, str]

# What tells two of one name apart, or speaks for one and the same.
_DISTINGUISHING = ("date_of_birth", "registration_number", "country", "email")


def canonical_properties(fields: Iterable[FieldSpec], values: Mapping[str, Any]) -> dict[str, Any]:
    """The canonical ones among answers, by property. A field without a canonical name tells nothing."""
    return {
        property_of(spec.canonical_field): values[spec.name]
        for spec in fields
        if spec.canonical_field and spec.name in values
    }


def raw_answers(
    fields: Iterable[FieldSpec], record: Mapping[str, Any], csp: Mapping[str, Any], *, of_entity: bool = False
) -> dict[str, Any]:
    """The answers of the entity, a party or a class by field name, from its properties and its csp-data at the service.

    `record.validate` reads them, so that the service judges by the same rules what the portal sent.
    """
    raw = dict(csp)
    for spec in fields:
        if spec.canonical_field:
            found: Any = record
            for step in path_of(spec.canonical_field) if of_entity else (property_of(spec.canonical_field),):
                found = found.get(step) if isinstance(found, Mapping) else None
            if found is not None:
                raw[spec.name] = found
    return raw


def identity(kind: str, known: Mapping[str, Any]) -> Identity | None:
    """Equal for two entries of one person or company; None where the properties tell too little."""
    number, country = known.get("registration_number"), known.get("country")
    if number and country:
        return (kind, "".join(filter(str.isalnum, _normalised(number))), str(country))
    name, born = normalised_name(known), known.get("date_of_birth")
    return (kind, name, str(born)) if name and born else None


def may_be_same(kind: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two of one name may well be one: who they are is the same, or nothing that is known speaks against it."""
    first, second = identity(kind, one), identity(kind, other)
    if first and second:
        return first == second
    return all(one[part] == other[part] for part in _DISTINGUISHING if one.get(part) and other.get(part))


def normalised_name(known: Mapping[str, Any]) -> str:
    """What somebody is called, the same for any spelling of capitals and spaces; empty without a name."""
    return _normalised(label_of(dict(known)))


def _normalised(text: Any) -> str:
    return " ".join(unicodedata.normalize("NFKC", str(text)).casefold().split())
