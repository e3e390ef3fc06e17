"""The list of applications; what a copy takes over and a deletion removes; and what fits another form.

Another form is that of another product, or a newer one of the same.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_noop

from formation_portal.applications.contacts import answers_by_property
from formation_portal.applications.draft import Draft, schema_digest
from formation_portal.applications.models import Application
from formation_portal.applications.readback import entity_name
from formation_portal.applications.transfer import (
    LostAnswer,
    Transfer,
    TransferLine,
    content_of,
    count_declarations,
    lost_answers,
    plan_transfer,
    with_schema,
)
from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.iso_codes import format_money, sort_key
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.transfer import FormChanges, form_changes
from formation_portal.gateway.catalog import Catalog, CatalogProduct
from formation_portal.invitations.models import current_stage
from formation_portal.ui.formats import day, time_or_day

from .overview import Task

One = TypeVar("One")

# What a row is made of.
ROW_FIELDS = (
    "reference",
    "product_id",
    "product",
    "state",
    "submitted_at",
    "payment_due_since",
    "updated_at",
    "deleted_at",
)

_MARKS = {
    State.DRAFT: "half",
    State.RETURNED_FOR_CHANGES: "heed",
    State.INCORPORATED: "met",
    State.REJECTED: "stop",
    State.WITHDRAWN: "later",
}


def application_row(application: Application) -> Task:
    """A row of the list; the application comes with its section answers and invitations prefetched."""
    name = entity_name(application)
    page = "portal:overview" if application.is_open else "portal:status"
    shared = "" if application.is_own else gettext("shared with you")
    facts = (application.product_name, application.jurisdiction_name, shared)
    waits = _who_is_waited_for(application)
    is_payment_due = application.payment_due_since is not None
    return Task(
        id=f"application-{application.reference}",
        copies=application.reference,
        title=name or application.product_name,
        is_name=bool(name),
        url=reverse(page, args=[application.reference]),
        state="heed" if is_payment_due else _MARKS.get(application.status, "open"),
        status=gettext("Waiting for payment") if is_payment_due else application.status.words,
        note=format_html(
            '{}. {}{} <span class="nowrap">{}</span>',
            ", ".join(fact for fact in facts if fact),
            f"{waits}. " if waits else "",
            gettext("Saved %(day)s.") % {"day": day(application.updated_at)},
            application.reference,
        ),
    )


def _who_is_waited_for(application: Application) -> str:
    """In one sentence; empty where it is nobody. The parties come with the invitations."""
    if application.is_open:
        now = timezone.now()
        names: list[str] = []
        for one in application.invitations.all():
            if one.party.removed_at is None and current_stage(one, now=now)[0].waits:
                # As the party is called, told without its form, and since when.
                name = canonical.label_of(answers_by_property(one.party.kind, one.party.raw))
                said = {"name": name or gettext("someone you invited"), "time": time_or_day(one.sent_at)}
                names.append(gettext("%(name)s, since %(time)s") % said)
        if names:
            return gettext("Waiting for you and %(names)s") % {"names": ", ".join(names)}
        return gettext("Waiting for you")
    if application.payment_due_since is not None:
        return gettext("Waiting for you")
    at = application.submitted_at
    if application.status in (State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW) and at:
        return gettext("Waiting for our reviewer since %(time)s") % {"time": time_or_day(at)}
    return gettext("Waiting for the registry") if application.status is State.SUBMITTED_TO_CSP else ""


def copied_things(draft: Draft) -> Iterator[str]:
    """Describe what a copy of a draft takes over, whatever its state."""
    content = content_of(draft)
    yield ngettext(
        "{count} answer about the company or foundation",
        "{count} answers about the company or foundation",
        len(content.entity),
    )
    if content.parties:
        yield ngettext(
            "{count} person or company, with their roles",
            "{count} people and companies, with their roles",
            len(content.parties),
        )
    if content.share_classes:
        classes = ngettext("{count} share class", "{count} share classes", len(content.share_classes))
        yield gettext("{classes} and shareholdings").format(classes=classes) if content.holdings else classes
    if content.documents:
        yield ngettext(
            "{count} document",
            "{count} documents",
            len(content.documents),
        )


def declarations_left_out(draft: Draft) -> str:
    """Describe how many declarations a copy leaves out; empty if none was made."""
    count = count_declarations(draft)
    if not count:
        return ""
    return ngettext(
        "{count} declaration. Make it again in the copy.", "{count} declarations. Make them again in the copy.", count
    )


def deleted_things(draft: Draft) -> Iterator[str]:
    """How much of what a draft holds that is deleted with it: one query."""
    people = (*draft.parties, *draft.removed_parties)
    holders = (draft.entity_raw, *(row.raw for row in people), *(row.raw for row in draft.share_classes))
    answers = sum(not is_blank(value) for raw in holders for value in raw.values())
    # Those of removed parties too: they could still be restored.
    documents = draft.application.documents.count()
    if answers:
        yield ngettext("%(count)d answer", "%(count)d answers", answers) % {"count": answers}
    if people:
        count = len(people)
        yield ngettext("%(count)d person or company", "%(count)d people and companies", count) % {"count": count}
    if draft.share_classes:
        count = len(draft.share_classes)
        yield ngettext("%(count)d share class", "%(count)d share classes", count) % {"count": count}
    if documents:
        yield ngettext("%(count)d document, with its file", "%(count)d documents, with their files", documents) % {
            "count": documents
        }


def products_by_place(draft: Draft, offered: Catalog) -> Mapping[str, Sequence[CatalogProduct]]:
    """Every other product that is available and that the draft's answers may be carried over to."""
    others = [(one.item.jurisdiction.name if one.item else "", one) for one in offered.items if is_another(draft, one)]
    return _grouped(sorted(others, key=lambda placed: (sort_key(placed[0]), sort_key(placed[1].name))))


def is_another(draft: Draft, product: CatalogProduct) -> bool:
    """Whether the draft's answers may be carried over to it."""
    is_same = product.item is not None and product.item.jurisdiction_product_id == draft.application.product_id
    return product.is_available and not is_same


@dataclass(frozen=True)
class CarryOverPage:
    """The comparison with one product, by whom answers belong to. Costs no query."""

    draft: Draft
    product: CatalogProduct
    item: CatalogItem

    @cached_property
    def transfer(self) -> Transfer:
        return plan_transfer(self.draft, schema=self.item.form)

    @cached_property
    def fits(self) -> Mapping[str, Sequence[TransferLine]]:
        return _grouped((line.holder, line) for line in self.transfer.fits)

    @cached_property
    def misfits(self) -> Mapping[str, Sequence[TransferLine]]:
        return _grouped((line.holder, line) for line in self.transfer.misfits)

    @cached_property
    def needed(self) -> Mapping[str, Sequence[str]]:
        """What the other form still needs, by section."""
        titles = {section.key: section.title for section in self.item.form.sections}
        return _grouped((titles.get(need.section, ""), need.text) for need in self.transfer.needed)

    @property
    def seen(self) -> str:
        """Names what was compared, so that what was seen is what is done: it changes with the draft and the form."""
        both = f"{self.draft.application.revision} {schema_digest(self.item.document)}"
        return hashlib.sha256(both.encode()).hexdigest()[:32]


def _grouped(pairs: Iterable[tuple[str, One]]) -> Mapping[str, Sequence[One]]:
    grouped: dict[str, list[One]] = {}
    for name, one in pairs:
        grouped.setdefault(name, []).append(one)
    return grouped


@dataclass(frozen=True)
class FormChangePage:
    """What another form of the draft's product changes, before anything happens. Costs no query."""

    draft: Draft
    item: CatalogItem

    @cached_property
    def changes(self) -> FormChanges:
        return form_changes(self.draft.schema, self.item.form)

    @cached_property
    def lost(self) -> Sequence[LostAnswer]:
        return lost_answers(self.draft, self.item.form)

    @cached_property
    def needed(self) -> list[str]:
        """What is needed then, and isn't now."""
        now = {need.text for need in self.draft.needs}
        return [need.text for need in with_schema(self.draft, self.item.form).needs if need.text not in now]

    @cached_property
    def price(self) -> str:
        """The price as it is now, in words, where it is another than the draft's."""
        if self.draft.application.product.get("price") == self.item.model_dump(mode="json")["price"]:
            return ""
        price = self.item.price
        parts = (
            (price.one_off, gettext_noop("{amount} set-up fee")),
            (price.annual, gettext_noop("{amount} annual fee")),
        )
        return ", ".join(
            gettext(said).format(amount=format_money(amount, price.currency))
            for amount, said in parts
            if amount is not None
        )

    @property
    def seen(self) -> str:
        """Names the form that was looked at."""
        return f"{self.item.form.id} {self.item.form.version}"
