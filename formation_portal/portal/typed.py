"""What stands in a form that was posted and not saved, as whoever typed it recognises it, without the database.

The labels are those of the catalog as it was last fetched: of the form that knows most of the controls. Names are known
only to the database, so of a share class it says no more than that one was chosen, and numbers of shares are left out.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import unquote

from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.contract.field import FieldSpec, control_name
from formation_portal.contract.schema import FormSchema
from formation_portal.gateway.catalog import known_catalog
from formation_portal.portal.slot_keys import party_control

from .posted import ROLES
from .read_back import in_words
from .roles import role_words
from .words import AnswerRow

_QUESTION = "q:"


def typed_in(controls: Iterable[tuple[str, Iterable[str]]]) -> tuple[AnswerRow, ...]:
    """The answers among the controls of a form, each with its values; what is blank is left out.

    What no form of the catalog knows is told by the name of its control.
    """
    post = QueryDict(mutable=True)
    for name, values in controls:
        post.setlist(name, list(values))
    return tuple(row for row in _rows(post) if row.value)


def _rows(post: QueryDict) -> Iterator[AnswerRow]:
    if roles := [role for role in post.getlist(ROLES) if role]:
        yield AnswerRow(gettext("Roles"), role_words(roles), is_name=False, note="")
    controls = dict.fromkeys(_control(name) for name in post if name.startswith(_QUESTION))
    specs = _specs(controls) if controls else {}
    for control in controls:
        if spec := specs.get(control):
            yield AnswerRow(spec.label, _words(spec, spec.posted(post, control)), is_name=False, note="")
        else:
            text = ", ".join(value for value in post.getlist(control) if value)
            yield AnswerRow(unquote(control.removeprefix(_QUESTION)), text, is_name=False, note="")


def _control(name: str) -> str:
    """The control that a part belongs to; names are quoted, so no other colon stands in them."""
    return ":".join(name.split(":")[:2])


def _words(spec: FieldSpec, raw: object) -> str:
    if spec.refers_to_share_class:
        return gettext("A share class") if raw else ""
    return in_words(spec, raw)


def _specs(controls: Collection[str]) -> Mapping[str, FieldSpec]:
    """The questions by control, of the form in the catalog that knows most of what was posted."""
    known = known_catalog()
    forms = (product.item.form for product in known.items if product.item) if known else ()
    found = (form.remembered(_by_control) for form in forms)
    return max(found, key=lambda specs: len(specs.keys() & controls), default={})


def _by_control(form: FormSchema) -> Mapping[str, FieldSpec]:
    specs = [spec for section in form.sections for group in section.groups.values() for spec in group]
    by_key = {control_name(spec): spec for spec in reversed(specs)}
    return {party_control(spec): spec for spec in reversed(specs)} | by_key
