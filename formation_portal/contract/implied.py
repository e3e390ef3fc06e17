"""Questions that are asked even where a schema doesn't list them (interface, "Party" and "Share class")."""

from typing import Any

from . import canonical
from .choice_fields import SelectField
from .field import FieldSpec
from .fields import read_field
from .language import noted, say
from .problems import AnswerError
from .world import COUNTRIES, CURRENCIES_IN_USE, is_currency


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


class _Currency(SelectField):
    """Those in use are offered, and any other is understood, as with an amount of money."""

    def _one(self, raw: Any) -> str:
        if not isinstance(raw, str) or not is_currency(raw):
            words = say("Choose one of the options for “{label}”", label=self.label)
            raise AnswerError("currency_not_allowed", words)
        return raw


PERSON_FIELDS = (
    _ask("person.first_name", noted("First name"), help=noted("As on the passport.")),
    _ask("person.last_name", noted("Last name"), help=noted("As on the passport.")),
    _ask("person.email", noted("E-mail address")),
)

COMPANY_FIELDS = (
    _ask("corporate.name", noted("Name")),
    _ask("corporate.registration_number", noted("Registration number"), required=False),
    _ask("corporate.country", noted("Country"), "select", required=False, options=COUNTRIES),
    _ask("corporate.date_of_incorporation", noted("Date of incorporation"), "date", required=False),
    _ask("corporate.registered_address", noted("Registered address"), "address", required=False),
    _ask("corporate.email", noted("E-mail address"), required=False),
)

SHARE_CLASS_FIELDS = (
    _ask("share_class.name", noted("Name of the share class")),
    _Currency(
        key="currency",
        field_type="select",
        canonical_field="share_class.currency",
        label=noted("Currency"),
        required=True,
        options=CURRENCIES_IN_USE,
    ),
    _ask("share_class.par_value", noted("Par value"), "number", help=noted("Enter 0 for shares with no par value.")),
    _ask("share_class.voting_rights", noted("Do these shares have voting rights?"), "boolean"),
    _ask("share_class.dividend_rights", noted("Do these shares pay dividends?"), "boolean"),
)


def with_person_fields(listed: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    """A person always has first name, last name and e-mail address."""
    return _with(_said(PERSON_FIELDS), listed)


def company_fields() -> tuple[FieldSpec, ...]:
    """What is asked of a company or foundation where the schema lists nothing."""
    return _said(COMPANY_FIELDS)


def with_share_class_fields(listed: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    """A class always has the five properties of the interface; a listed one takes the general one's place."""
    return _with(_said(SHARE_CLASS_FIELDS), listed)


def _said(general: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    """The same questions in the reader's language."""
    return tuple(
        spec.model_copy(update={"label": say(spec.label), "help": say(spec.help), "is_ours": True}) for spec in general
    )


def _with(general: tuple[FieldSpec, ...], listed: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    held = {canonical.property_of(spec.canonical_field) for spec in listed if spec.canonical_field}
    keys = {spec.key for spec in listed}
    added = tuple(
        spec if spec.key not in keys else spec.model_copy(update={"key": f"our-{spec.key}"})
        for spec in general
        if canonical.property_of(spec.name) not in held
    )
    return added + listed
