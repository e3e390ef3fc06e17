"""The questions that are asked even if a schema does not list them (INTERFACE.md, "Parties", "Share classes")."""

from typing import Any

from .. import canonical
from ..localisation import gettext, gettext_noop
from .base import FieldSpec
from .choice import SelectField
from .iso_codes import COUNTRIES, CURRENCIES_IN_USE, is_currency
from .types import read_field
from .values import AnswerError


def _field(name: str, label: str, field_type: str = "text", *, required: bool = True, **more: object) -> FieldSpec:
    document = {"key": canonical.property_of(name), "canonical_field": name, "label": label}
    return read_field(document | {"field_type": field_type, "required": required} | more)


class _CurrencyField(SelectField):
    """A list of the currencies in use that accepts all others too, as an amount does."""

    def _parse_option(self, raw: Any) -> str:
        if not isinstance(raw, str) or not is_currency(raw):
            message = gettext("Choose one of the options for “{label}”", label=self.label)
            raise AnswerError("currency_not_allowed", message)
        return raw


# Asked of every person.
PERSON_FIELDS = (
    _field("person.first_name", gettext_noop("First name"), help=gettext_noop("As on the passport.")),
    _field("person.last_name", gettext_noop("Last name"), help=gettext_noop("As on the passport.")),
    _field("person.email", gettext_noop("E-mail address")),
)

# Asked of a company or foundation where the schema lists nothing.
COMPANY_FIELDS = (
    _field("corporate.name", gettext_noop("Name")),
    _field("corporate.registration_number", gettext_noop("Registration number"), required=False),
    _field("corporate.country", gettext_noop("Country"), "select", required=False, options=COUNTRIES),
    _field("corporate.date_of_incorporation", gettext_noop("Date of incorporation"), "date", required=False),
    _field("corporate.registered_address", gettext_noop("Registered address"), "address", required=False),
    _field("corporate.email", gettext_noop("E-mail address"), required=False),
)

# Asked of every share class, as the interface demands. A listed field replaces the default field.
SHARE_CLASS_FIELDS = (
    _field("share_class.name", gettext_noop("Name of the share class")),
    _CurrencyField(
        key="currency",
        field_type="select",
        canonical_field="share_class.currency",
        label=gettext_noop("Currency"),
        required=True,
        options=CURRENCIES_IN_USE,
    ),
    _field(
        "share_class.par_value",
        gettext_noop("Par value"),
        "number",
        help=gettext_noop("Enter 0 for shares with no par value."),
    ),
    _field("share_class.voting_rights", gettext_noop("Do these shares have voting rights?"), "boolean"),
    _field("share_class.dividend_rights", gettext_noop("Do these shares pay dividends?"), "boolean"),
)


def with_defaults(defaults: tuple[FieldSpec, ...], listed: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    """Return the default questions that are not listed, in the reader's language, then the listed ones."""
    listed_properties = {canonical.property_of(spec.canonical_field) for spec in listed if spec.canonical_field}
    keys = {spec.key for spec in listed}
    added = []
    for spec in defaults:
        if canonical.property_of(spec.name) not in listed_properties:
            key = f"our-{spec.key}" if spec.key in keys else spec.key
            texts = {"label": gettext(spec.label), "help": gettext(spec.help)}
            added.append(spec.model_copy(update={"key": key, "is_ours": True} | texts))
    return (*added, *listed)
