"""Questions that are asked even where a schema doesn't list them (interface, "Party" and "Share class")."""

from . import canonical
from .field import FieldSpec
from .fields import read_field
from .world import COUNTRIES


def _ask(
    canonical_field: str, label: str, field_type: str = "text", *, required: bool = True, **more: object
) -> FieldSpec:
    key = canonical.property_of(canonical_field)
    return read_field(
        {
            "key": key,
            "canonical_field": canonical_field,
            "label": label,
            "field_type": field_type,
            "required": required,
        }
        | more
    )


PERSON_FIELDS = (
    _ask("person.first_name", "First name", help="As on the passport."),
    _ask("person.last_name", "Last name", help="As on the passport."),
    _ask("person.email", "E-mail address"),
)

COMPANY_FIELDS = (
    _ask("corporate.name", "Name"),
    _ask("corporate.registration_number", "Registration number", required=False),
    _ask("corporate.country", "Country", "select", required=False, options=COUNTRIES),
    _ask("corporate.date_of_incorporation", "Date of incorporation", "date", required=False),
    _ask("corporate.registered_address", "Registered address", "address", required=False),
    _ask("corporate.email", "E-mail address", required=False),
)

SHARE_CLASS_FIELDS = (
    _ask("share_class.name", "Name of the class"),
    _ask("share_class.currency", "Currency", help="Three capital letters, like USD."),
    _ask("share_class.par_value", "Par value", "number", help="Zero for shares without par value."),
    _ask("share_class.voting_rights", "Do the shares carry votes?", "boolean"),
    _ask("share_class.dividend_rights", "Do the shares carry dividends?", "boolean"),
)


def with_person_fields(listed: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    """A person always has first name, last name and e-mail address."""
    return _with(PERSON_FIELDS, listed)


def with_share_class_fields(listed: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    """A class always has the five properties of the interface; a listed one takes the general one's place."""
    return _with(SHARE_CLASS_FIELDS, listed)


def _with(general: tuple[FieldSpec, ...], listed: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    held = {canonical.property_of(spec.canonical_field) for spec in listed if spec.canonical_field}
    keys = {spec.key for spec in listed}
    added = tuple(
        spec if spec.key not in keys else spec.model_copy(update={"key": f"our-{spec.key}"})
        for spec in general
        if canonical.property_of(spec.name) not in held
    )
    return added + listed
