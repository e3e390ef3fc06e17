"""The words of another language, laid over a form: only words change, and what it hasn't keeps its own."""

from copy import deepcopy
from datetime import date
from typing import Any

import pytest

from formation_portal.contract.catalog import CatalogItem, expected_dates, working_days
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.translation import is_same_form, translated_form, translated_item
from tests.contract.builders import entity, question, role

PURPOSE = question("purpose", "multi_select", options=["Trade", "Other"], label="What is the purpose?", help="Choose.")
SHARES = question("shares", "select", options=["Ltd.", "Inc."], label="How does the name end?")
MORE = question("more", label="Describe the other one", depends_on={"field": "purpose", "value": ["Other"]})
DOCUMENT: dict[str, Any] = {
    "id": "1",
    "version": "1",
    "form_name": "Form",
    "sections": [
        entity(PURPOSE, SHARES, MORE, title="The purpose", documents={"entity": [{"name": "Draft of the deed"}]}),
        role("director", question("name", label="Full name"), help="They run the company."),
    ],
}
FORM = FormSchema.model_validate(DOCUMENT)


def german() -> dict[str, Any]:
    said = deepcopy(DOCUMENT)
    purpose, directors = said["sections"]
    purpose |= {"title": "Der Zweck", "documents": {"entity": [{"name": "Draft of the deed", "label": "Entwurf"}]}}
    purpose["fields"][0] |= {"label": "Was ist der Zweck?", "help": "Wählen Sie."}
    purpose["fields"][0]["option_labels"] = {"Trade": "Handel", "Other": "Anderes"}
    purpose["fields"][1] |= {"label": "Wie endet der Name?", "option_labels": {"Ltd.": "Ltd."}}
    purpose["fields"][2]["label"] = "Beschreiben Sie ihn genauer"
    directors |= {"title": "Direktoren", "help": "Sie führen die Gesellschaft."}
    directors["person_fields"][0]["label"] = "Voller Name"
    return said


def test_words_are_taken_and_nothing_else() -> None:
    form = translated_form(FORM, german(), "de")
    purpose, directors = form.sections
    assert (purpose.title, purpose.key) == ("Der Zweck", "the-purpose")
    assert purpose.original.title == "The purpose"
    what, ending, more = purpose.fields
    assert (what.label, what.help, what.name) == ("Was ist der Zweck?", "Wählen Sie.", "xx.purpose")
    assert [(one.value, one.label) for one in what.choices()] == [("Trade", "Handel"), ("Other", "Anderes")]
    assert what.display(what.clean(["Other"])) == "Anderes"
    assert what.payload(what.clean(["Other"])) == ["Other"]
    assert more.depends_on == FORM.sections[0].fields[2].depends_on
    assert directors.person_fields[0].label == "Voller Name"
    [slot] = purpose.slots("entity")
    assert (slot.name, slot.words) == ("Draft of the deed", "Entwurf")
    assert what.language_of(what.label) == what.language_of(what.help) == slot.language_of(slot.words) == "de"
    assert directors.language_of(directors.help) == "de"
    for text in (purpose.title, what.label, "Handel", slot.words, directors.help):
        assert form.language_of(text) == "de"
    for text in (purpose.title, what.label, slot.words):
        assert purpose.language_of(text) == "de"
    assert purpose.language_of(directors.help) == ""
    assert not what.has_own_words
    assert ending.has_own_words
    assert FORM.sections[0].title == "The purpose"
    with pytest.raises(AnswerError) as refused:
        form.sections[0].fields[0].clean(["Handel"])
    assert refused.value.code == "not_an_option"


def test_what_is_missing_or_of_another_shape_keeps_its_words() -> None:
    said = german()
    said["sections"][0]["fields"][0] |= {"label": None, "help": 7, "option_labels": ["Handel"]}
    del said["sections"][0]["fields"][1]["label"]
    what, ending, _ = translated_form(FORM, said, "de").sections[0].fields
    assert (what.label, ending.label) == ("What is the purpose?", "How does the name end?")
    assert what.choices()[0].label == "Trade"
    said = german()
    said["sections"].reverse()
    assert translated_form(FORM, said, "de").sections[0].title == "The purpose"
    said = german()
    said["sections"][0]["fields"][0]["options"] = ["Other", "Trade"]
    said["sections"][0]["fields"][1]["csp_field_key"] = "xx.another"
    what, ending, _ = translated_form(FORM, said, "de").sections[0].fields
    assert (what.label, what.choices()[0].label) == ("Was ist der Zweck?", "Trade")
    assert ending.label == "How does the name end?"
    for nonsense in ({}, {"sections": None}, {"sections": ["x", 1]}):
        assert translated_form(FORM, nonsense, "de").sections[0].title == "The purpose"


def item(document: dict[str, Any], **more: Any) -> dict[str, Any]:
    place = {"name": "Here", "slug": "here", "region": "South"}
    product = {"name": "Company (Co.), North", "slug": "co", "description": "For trade."}
    return {
        "jurisdiction_product_id": "p",
        "jurisdiction": place,
        "product": product,
        "estimated_timeline": "5-8 working days",
        "schema": document,
        **more,
    }


def test_a_product_is_translated_with_its_form_of_the_same_version_and_keeps_the_original() -> None:
    kept = CatalogItem.model_validate(item(DOCUMENT))
    product = {"name": "Gesellschaft (Co.), Nord", "description": "Für den Handel."}
    place = {"name": "Hier", "region": "Süden"}
    said = item(german(), product=product, jurisdiction=place, estimated_timeline="5–8 Arbeitstage")
    found = translated_item(kept, said, "de")
    assert (found.product.name, found.product.slug, found.jurisdiction.region) == (product["name"], "co", "Süden")
    assert found.product.language_of("Gesellschaft") == found.product.language_of("Co., Nord") == "de"
    assert found.language_of("Süden") == found.language_of("Der Zweck") == "de"
    assert found.form.sections[0].title == "Der Zweck"
    assert found.original is kept
    assert found.document == kept.document
    assert working_days(found.original.estimated_timeline) == (5, 8)
    start = date(2026, 11, 2)
    timeline = found.original.estimated_timeline
    assert expected_dates(timeline, start=start) == (date(2026, 11, 9), date(2026, 11, 12))
    newer = german() | {"version": "2"}
    assert not is_same_form(kept.form, newer)
    assert translated_item(kept, item(newer), "de").form.sections[0].title == "The purpose"
