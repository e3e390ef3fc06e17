"""Build the list of applications, and the pages that copy, delete and transfer an application."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext

from formation_portal.applications.contacts import answers_by_property
from formation_portal.applications.draft import Draft, schema_digest
from formation_portal.applications.models import Application
from formation_portal.applications.readback import entity_name
from formation_portal.applications.transfer import (
    content_of,
    count_declarations,
    lost_answers,
    plan_transfer,
    with_schema,
)
from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.iso_codes import sort_key
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.transfer import form_changes
from formation_portal.gateway.catalog import Catalog, CatalogProduct
from formation_portal.invitations.models import current_stage
from formation_portal.ui.formats import counted, day, day_and_time
from formation_portal.ui.ownership import join_sentences

from ..pages import fees_of
from .overview import Task

Value = TypeVar("Value")

# The columns that a row of the list reads.
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
    State.RETURNED_FOR_CHANGES: "warning",
    State.INCORPORATED: "met",
    State.REJECTED: "error",
    State.WITHDRAWN: "later",
}


def application_row(application: Application) -> Task:
    name = entity_name(application)
    page = "portal:overview" if application.is_open else "portal:status"
    facts = [application.product_name, application.jurisdiction_name]
    if not application.is_own:
        facts.append(gettext("shared with you"))
    saved = gettext("Saved %(day)s.") % {"day": day(application.updated_at)}
    note = join_sentences(", ".join(filter(None, facts)), _waiting_words(application), saved)
    state = _MARKS.get(application.status, "open")
    status = application.status.words
    if application.payment_due_since is not None:
        state = "warning"
        status = gettext("Waiting for payment")
    return Task(
        id=f"application-{application.reference}",
        copies=application.reference,
        title=name or application.product_name,
        is_name=bool(name),
        url=reverse(page, args=[application.reference]),
        state=state,
        status=status,
        note=format_html('{} <span class="nowrap">{}</span>', note, application.reference),
    )


def _waiting_words(application: Application) -> str:
    status = application.status
    if application.is_open and (guests := _waiting_guests(application)):
        return gettext("Waiting for you and %(names)s") % {"names": ", ".join(guests)}
    if application.is_open or application.payment_due_since is not None:
        return gettext("Waiting for you")
    if status in (State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW) and application.submitted_at:
        time = day_and_time(application.submitted_at)
        return gettext("Waiting for our reviewer since %(time)s") % {"time": time}
    return gettext("Waiting for the registry") if status is State.SUBMITTED_TO_CSP else ""


def _waiting_guests(application: Application) -> list[str]:
    """Name each guest whose part is not finished, with the time of the invitation."""
    now = timezone.now()
    guests: list[str] = []
    for invitation in application.invitations.all():
        party = invitation.party
        if party.removed_at is None and current_stage(invitation, now=now)[0].waits:
            # The list loads no form, so the name is read from the answers alone.
            name = canonical.label_of(answers_by_property(party.kind, party.raw))
            values = {"name": name or gettext("someone you invited"), "time": day_and_time(invitation.sent_at)}
            guests.append(gettext("%(name)s, since %(time)s") % values)
    return guests


def copied_content(draft: Draft) -> list[str]:
    content = content_of(draft)
    answers = ngettext(
        "{count} answer about the company or foundation",
        "{count} answers about the company or foundation",
        len(content.entity),
    )
    people = counted(
        len(content.parties),
        "{count} person or company, with their roles",
        "{count} people and companies, with their roles",
    )
    classes = counted(len(content.share_classes), "{count} share class", "{count} share classes")
    if classes and content.holdings:
        classes = gettext("{classes} and shareholdings").format(classes=classes)
    documents = counted(len(content.documents), "{count} document", "{count} documents")
    return list(filter(None, (answers, people, classes, documents)))


def declarations_left_out(draft: Draft) -> str:
    """Say how many declarations a copy leaves out; return "" if there are none."""
    return counted(
        count_declarations(draft),
        "{count} declaration. Make it again in the copy.",
        "{count} declarations. Make them again in the copy.",
    )


def deleted_content(draft: Draft) -> list[str]:
    """Count what is deleted with a draft. Makes one SQL query."""
    people = (*draft.parties, *draft.removed_parties)
    holders = (draft.entity_raw, *(row.raw for row in (*people, *draft.share_classes)))
    answers = sum(not is_blank(value) for raw in holders for value in raw.values())
    classes = len(draft.share_classes)
    # Documents of removed parties are counted, since the parties could still be restored.
    documents = draft.application.documents.count()
    counts = (
        (answers, ngettext("%(count)d answer", "%(count)d answers", answers)),
        (len(people), ngettext("%(count)d person or company", "%(count)d people and companies", len(people))),
        (classes, ngettext("%(count)d share class", "%(count)d share classes", classes)),
        (documents, ngettext("%(count)d document, with its file", "%(count)d documents, with their files", documents)),
    )
    return [sentence % {"count": count} for count, sentence in counts if count]


def products_by_place(draft: Draft, offered: Catalog) -> Mapping[str, Sequence[CatalogProduct]]:
    """Return every product to which the draft's answers can be transferred, by jurisdiction."""
    others: list[tuple[str, CatalogProduct]] = []
    for product in offered.items:
        if product.item and is_another(draft, product):
            others.append((product.item.jurisdiction.name, product))
    return _grouped(sorted(others, key=lambda pair: (sort_key(pair[0]), sort_key(pair[1].name))))


def is_another(draft: Draft, product: CatalogProduct) -> bool:
    is_same = product.item is not None and product.item.jurisdiction_product_id == draft.application.product_id
    return product.is_available and not is_same


class CarryOverPage:
    """The comparison of a draft with another product's form: which answers fit, and which don't. Makes no SQL query."""

    def __init__(self, draft: Draft, product: CatalogProduct, item: CatalogItem) -> None:
        self.draft = draft
        self.product = product
        self.item = item
        self.transfer = plan_transfer(draft, schema=item.form)
        self.fits = _grouped((line.holder, line) for line in self.transfer.fits)
        self.misfits = _grouped((line.holder, line) for line in self.transfer.misfits)
        titles = {section.key: section.title for section in item.form.sections}
        # The missing answers by section of the other form.
        self.needed = _grouped((titles.get(need.section, ""), need.text) for need in self.transfer.needed)
        # The versions of draft and form on the page: if either has changed since, nothing is transferred.
        versions = f"{draft.application.revision} {schema_digest(item.document)}"
        self.seen = hashlib.sha256(versions.encode()).hexdigest()[:32]


def _grouped(pairs: Iterable[tuple[str, Value]]) -> Mapping[str, Sequence[Value]]:
    groups: dict[str, list[Value]] = {}
    for name, value in pairs:
        groups.setdefault(name, []).append(value)
    return groups


class FormChangePage:
    def __init__(self, draft: Draft, item: CatalogItem) -> None:
        self.draft = draft
        self.item = item
        self.changes = form_changes(draft.schema, item.form)
        self.lost = lost_answers(draft, item.form)
        texts = {need.text for need in draft.needs}
        # The needs that the other form adds.
        self.needed = [need.text for need in with_schema(draft, item.form).needs if need.text not in texts]
        # The form's version on the page: no other is adopted.
        self.seen = f"{item.form.id} {item.form.version}"
        self.price = ""
        one_off, annual = fees_of(item.price)
        if one_off and draft.application.product.get("price") != item.model_dump(mode="json")["price"]:
            set_up_fee = gettext("{amount} set-up fee").format(amount=one_off)
            annual_fee = gettext("{amount} annual fee").format(amount=annual)
            self.price = f"{set_up_fee}, {annual_fee}"
