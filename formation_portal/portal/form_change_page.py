"""A changed form: what is new, gone and renamed, and what it means for the answers that are there."""

from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.applications.transfer import LostAnswer, lost_answers, with_schema
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.form_changes import FormChanges, form_changes
from formation_portal.contract.language import noted, say
from formation_portal.gateway.catalog import known_catalog

from .money import money


@dataclass(frozen=True, slots=True)
class FormChangePage:
    """Everything that the page shows before anything happens."""

    draft: Draft
    item: CatalogItem
    changes: FormChanges
    lost: tuple[LostAnswer, ...]
    needed: tuple[str, ...]
    price: str

    @property
    def seen(self) -> str:
        """Names the form that was looked at."""
        return form_name(self.item)


def form_name(item: CatalogItem) -> str:
    """What tells one version of a form from another."""
    return f"{item.form.id} {item.form.version}"


def newer_form(draft: Draft) -> CatalogItem | None:
    """The product with the form that the catalog has now, where it is another than the draft's. Makes no call."""
    offered = known_catalog()
    mine = draft.application.product_id
    items = (one.item for one in offered.items if one.item and one.is_available) if offered else ()
    item = next((one for one in items if one.jurisdiction_product_id == mine), None)
    if item is None or (item.form.id, item.form.version) == (draft.schema.id, draft.schema.version):
        return None
    return item


def form_change_page(draft: Draft, item: CatalogItem) -> FormChangePage:
    """The page for a draft whose product has another form now. Costs no query."""
    now = {need.text for need in draft.needs}
    then = with_schema(draft, item.form)
    return FormChangePage(
        draft=draft,
        item=item,
        changes=form_changes(draft.schema, item.form),
        lost=lost_answers(draft, item.form),
        needed=tuple(need.text for need in then.needs if need.text not in now),
        price=_new_price(draft, item),
    )


def _new_price(draft: Draft, item: CatalogItem) -> str:
    """The price as it is now, in words, where it is another than the draft's."""
    if draft.application.product.get("price") == item.model_dump(mode="json")["price"]:
        return ""
    price = item.price
    parts = ((price.one_off, noted("{amount} set-up fee")), (price.annual, noted("{amount} annual fee")))
    return ", ".join(say(said, amount=money(amount, price.currency)) for amount, said in parts if amount is not None)
