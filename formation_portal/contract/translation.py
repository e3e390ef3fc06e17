"""The words of a form in another language, laid over the form that is kept (supplement, "Transport": language).

Only words change: labels, help, titles, descriptions, words of options and of document slots, names of products and
places. Keys, values and rules are those of the form that is kept, so nothing that judges or sends sees a difference.
What the other language hasn't, or has in another place of the form, keeps its words.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from .catalog import CatalogItem
from .fields.base import FieldSpec
from .fields.parsing import text_or_none
from .localisation import TranslatedText, stored_words
from .schema import DocumentSlot, FormSchema, Section

AnyModel = TypeVar("AnyModel", bound=BaseModel)

_FIELD_GROUPS = ("fields", "person_fields", "corporate_fields", "foundation_fields")
# Of fewer words, which are often the same in two languages, nobody can tell whether they were translated.
_TELLING = 3


def translated_form(form: FormSchema, document: Mapping[str, Any], language: str) -> FormSchema:
    """The form with the words of `document`, the same form as the service says it in the language."""
    return _of_form(form, document, _words_for(form, document, language))


def translated_item(item: CatalogItem, document: Mapping[str, Any], language: str) -> CatalogItem:
    """The catalog item with the words of `document`, the same item as the service says it in the language."""
    there = _mapping(document.get("schema"))
    is_same = is_same_form(item.form, there)
    words = _words_for(item.form, there if is_same else {}, language)
    place, product = _mapping(document.get("jurisdiction")), _mapping(document.get("product"))
    return _with(
        item,
        jurisdiction=words.of(item.jurisdiction, place, "name", "region"),
        product=words.of(item.product, product, "name", "description"),
        form=_of_form(item.form, there, words) if is_same else item.form,
        estimated_timeline=words.text(item.estimated_timeline, document.get("estimated_timeline")),
        source=item,
    )


def is_same_form(form: FormSchema, document: Mapping[str, Any]) -> bool:
    """Whether the document is the form: of the same id, in the same version."""
    return (form.id, form.version) == (str(document.get("id") or ""), str(document.get("version") or ""))


class _Words:
    """Which words are taken. A service may answer in a language that it has half: what reads the same in both is then
    taken for what it could not translate; where all that is longer was translated, for a word that both share."""

    def __init__(self, language: str, *, shares_words: bool) -> None:
        self.language = language
        self.shares_words = shares_words
        self.pairs: list[tuple[str, str]] = []

    def text(self, stored: str, theirs: Any) -> str:
        """The words in the language, or as they are kept."""
        said = text_or_none(theirs)
        if not stored or said is None:
            return stored
        stored = stored_words(stored)
        self.pairs.append((stored, said))
        if said == stored and not self.shares_words:
            return stored
        return TranslatedText(said, language=self.language, stored=stored)

    def of(self, model: AnyModel, theirs: Mapping[str, Any], *names: str) -> AnyModel:
        """The model with these of its texts in the language."""
        return _with(model, **{name: self.text(getattr(model, name), theirs.get(name)) for name in names})


def _words_for(form: FormSchema, document: Mapping[str, Any], language: str) -> _Words:
    tried = _Words(language, shares_words=True)
    _of_form(form, document, tried)
    telling = [stored != said for stored, said in tried.pairs if len(stored.split()) >= _TELLING]
    return _Words(language, shares_words=bool(telling) and all(telling))


def _of_form(form: FormSchema, document: Mapping[str, Any], words: _Words) -> FormSchema:
    theirs = [one for one in _list(document.get("sections")) if isinstance(one, Mapping)]
    if [section.scope for section in form.sections] != [str(one.get("scope") or "") for one in theirs]:
        theirs = [{} for _ in form.sections]
    sections = tuple(_of_section(section, one, words) for section, one in zip(form.sections, theirs, strict=True))
    return _with(words.of(form, document, "form_name"), sections=sections, source=form)


def _of_section(section: Section, theirs: Mapping[str, Any], words: _Words) -> Section:
    groups = {name: _of_fields(getattr(section, name), theirs.get(name), words) for name in _FIELD_GROUPS}
    slots = _mapping(theirs.get("documents"))
    documents = {kind: _of_slots(some, slots.get(kind), words) for kind, some in section.documents.items()}
    return _with(words.of(section, theirs, "title", "help", "bound_message"), documents=documents, **groups)


def _of_fields(fields: Sequence[FieldSpec], theirs: Any, words: _Words) -> tuple[FieldSpec, ...]:
    named = {_identity(one): one for one in _list(theirs) if isinstance(one, Mapping)}
    return tuple(_of_field(spec, named.get(_spec_identity(spec), {}), words) for spec in fields)


def _of_field(spec: FieldSpec, theirs: Mapping[str, Any], words: _Words) -> FieldSpec:
    if not theirs:
        return spec
    texts = [name for name in ("label", "help", "group", "bound_message") if name in type(spec).model_fields]
    changed: dict[str, Any] = {name: words.text(getattr(spec, name), theirs.get(name)) for name in texts}
    labels = _mapping(theirs.get("option_labels"))
    if labels and list(spec.options) == theirs.get("options"):
        own = dict(spec.option_labels)
        for option in spec.options:
            said = text_or_none(labels.get(option))
            if said is not None and said == option and option not in own:
                # Words that the language gives an option of its own accord are its own, whatever they read like.
                own[option] = TranslatedText(said, language=words.language, stored=option)
            else:
                own[option] = words.text(own.get(option, option), said)
        changed["option_labels"] = tuple(own.items())
    return _with(spec, **changed)


def _of_slots(slots: Sequence[DocumentSlot], theirs: Any, words: _Words) -> tuple[DocumentSlot, ...]:
    named = {one.get("name"): one for one in _list(theirs) if isinstance(one, Mapping)}
    return tuple(
        _with(words.of(slot, one, "help"), label=words.text(slot.words, one.get("label")))
        for slot in slots
        for one in (named.get(slot.name, {}),)
    )


def _identity(field: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(text_or_none(field.get(name)) for name in ("key", "canonical_field", "csp_field_key"))


def _spec_identity(spec: FieldSpec) -> tuple[Any, ...]:
    # A field without a key was given one.
    return (spec.key, spec.canonical_field, spec.csp_field_key)


def _with(model: AnyModel, **changed: Any) -> AnyModel:
    """The model with other values, not validated again, and without what was worked out from the old ones."""
    fields = type(model).model_fields
    made = model.model_copy()
    for name in [name for name in made.__dict__ if name not in fields]:
        del made.__dict__[name]
    made.__dict__.update(changed)
    return made


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()
