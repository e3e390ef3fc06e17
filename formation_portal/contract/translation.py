"""The texts of a form in another language, laid over the stored form (INTERFACE.md, "Transport and credentials").

Only texts change: labels, help, titles, descriptions, labels of options and of document slots, names of products and
places. Keys, values and rules are those of the stored form. A text that the other language lacks, or has in another
place of the form, stays in the language of the catalog.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from .catalog import CatalogItem
from .fields.base import DescribedModel, FieldSpec
from .fields.parsing import list_or_empty, mapping_or_empty, text_or_none
from .schema import DocumentSlot, FormSchema, Section, Validation

AnyModel = TypeVar("AnyModel", bound=DescribedModel)

_FIELD_GROUPS = ("fields", "person_fields", "corporate_fields", "foundation_fields")
# Shorter texts are often the same in two languages, so they do not show whether a form was translated.
_MIN_WORDS = 3


def translated_form(form: FormSchema, document: Mapping[str, Any], language: str) -> FormSchema:
    """Return the form with the texts of `document`, which is the service's form in the language."""
    return _translation_for(form, document, language).form(form, document)


def translated_item(item: CatalogItem, document: Mapping[str, Any], language: str) -> CatalogItem:
    """Return the catalog item with the texts of `document`, which is the service's item in the language."""
    form_document = mapping_or_empty(document.get("schema"))
    if not is_same_form(item.form, form_document):
        form_document = {}
    translation = _translation_for(item.form, form_document, language)
    jurisdiction = translation.model(
        item.jurisdiction, mapping_or_empty(document.get("jurisdiction")), ("name", "region")
    )
    product = translation.model(item.product, mapping_or_empty(document.get("product")), ("name", "description"))
    form = translation.form(item.form, form_document)
    parts = {"jurisdiction": jurisdiction, "product": product, "form": form}
    return translation.model(item, document, ("estimated_timeline",), parts=parts.values(), changes=parts)


def is_same_form(form: FormSchema, document: Mapping[str, Any]) -> bool:
    return (form.id, form.version) == (str(document.get("id") or ""), str(document.get("version") or ""))


def _translation_for(form: FormSchema, document: Mapping[str, Any], language: str) -> "_Translation":
    """Return a translation. Equal texts count as translated in it if every longer text of the form differs."""
    trial = _Translation(language, shares_texts=True)
    trial.form(form, document)
    are_translated = [text != stored for stored, text in trial.pairs if len(stored.split()) >= _MIN_WORDS]
    return _Translation(language, shares_texts=bool(are_translated) and all(are_translated))


class _Translation:
    """Texts of a language to lay over models. With `shares_texts`, texts equal to the stored ones are translations."""

    def __init__(self, language: str, *, shares_texts: bool) -> None:
        self._language = language
        self._shares_texts = shares_texts
        # Stored texts, each with its text in the language.
        self.pairs: list[tuple[str, str]] = []

    def model(
        self,
        model: AnyModel,
        document: Mapping[str, Any],
        text_names: Iterable[str],
        *,
        parts: Iterable[BaseModel] = (),
        translated: Iterable[str] = (),
        changes: Mapping[str, Any] | None = None,
    ) -> AnyModel:
        """Return the model with the named texts in the language and with `changes`, which contain `parts`."""
        translated = set(translated)
        for part in parts:
            if isinstance(part, DescribedModel):
                translated |= part.translated_texts
        texts = {name: self._text(getattr(model, name), document.get(name), translated) for name in text_names}
        return model.translated(self._language, translated, **texts, **(changes or {}))

    def form(self, form: FormSchema, document: Mapping[str, Any]) -> FormSchema:
        documents = [section for section in list_or_empty(document.get("sections")) if isinstance(section, Mapping)]
        if [section.scope for section in form.sections] != [str(section.get("scope") or "") for section in documents]:
            documents = [{} for _ in form.sections]
        pairs = zip(form.sections, documents, strict=True)
        sections = tuple(self._section(section, section_document) for section, section_document in pairs)
        validations = self._validations(form, list_or_empty(document.get("validations")))
        changes = {"sections": sections, "validations": validations}
        return self.model(form, document, ("form_name",), parts=(*sections, *validations), changes=changes)

    def _validations(self, form: FormSchema, documents: Sequence[Any]) -> tuple[Validation, ...]:
        """Translate the messages, if the document has the same rules in the same order."""
        documents = [mapping_or_empty(document) for document in documents]
        if [document.get("rule") for document in documents] != [stated.rule for stated in form.validations]:
            documents = [{} for _ in form.validations]
        pairs = zip(form.validations, documents, strict=True)
        return tuple(self.model(stated, document, ("message",)) for stated, document in pairs)

    def _section(self, section: Section, document: Mapping[str, Any]) -> Section:
        parts: list[BaseModel] = []
        changes: dict[str, Any] = {"documents": {}}
        for group in _FIELD_GROUPS:
            changes[group] = self._fields(getattr(section, group), document.get(group))
            parts.extend(changes[group])
        slot_documents = mapping_or_empty(document.get("documents"))
        for kind, stored_slots in section.documents.items():
            slots = self._slots(stored_slots, slot_documents.get(kind))
            changes["documents"][kind] = slots
            parts.extend(slots)
        return self.model(section, document, ("title", "help", "bound_message"), parts=parts, changes=changes)

    def _fields(self, fields: Sequence[FieldSpec], documents: Any) -> tuple[FieldSpec, ...]:
        by_identity = {}
        for document in list_or_empty(documents):
            if isinstance(document, Mapping):
                names = (document.get(name) for name in ("key", "canonical_field", "csp_field_key"))
                by_identity[tuple(map(text_or_none, names))] = document
        translated = []
        for spec in fields:
            # A field without a key got a key when it was read.
            document = by_identity.get((spec.key, spec.canonical_field, spec.csp_field_key), {})
            translated.append(self._field(spec, document))
        return tuple(translated)

    def _field(self, spec: FieldSpec, document: Mapping[str, Any]) -> FieldSpec:
        translated: set[str] = set()
        labels = dict(spec.option_labels)
        option_texts = mapping_or_empty(document.get("option_labels"))
        if option_texts and list(spec.options) == document.get("options"):
            for option in spec.options:
                text = text_or_none(option_texts.get(option))
                if text == option and option not in labels:
                    # A label that only this language has counts as translated, even if it equals the option.
                    labels[option] = text
                    translated.add(text)
                else:
                    labels[option] = self._text(labels.get(option, option), text, translated)
        names = ("label", "help", "group", "bound_message")
        changes = {"option_labels": tuple(labels.items())}
        return self.model(spec, document, names, translated=translated, changes=changes)

    def _slots(self, slots: Sequence[DocumentSlot], documents: Any) -> tuple[DocumentSlot, ...]:
        by_name = {
            document.get("name"): document for document in list_or_empty(documents) if isinstance(document, Mapping)
        }
        # A slot without a label may have a label in the language.
        labelled = [slot.model_copy(update={"label": slot.words}) for slot in slots]
        return tuple(self.model(slot, by_name.get(slot.name, {}), ("help", "label")) for slot in labelled)

    def _text(self, stored: str, value: Any, translated: set[str]) -> str:
        """Return `value`, the text in the language, and add it to `translated`; if there is none, return `stored`."""
        text = text_or_none(value)
        if not stored or text is None:
            return stored
        self.pairs.append((stored, text))
        if text == stored and not self._shares_texts:
            return stored
        translated.add(text)
        return text
