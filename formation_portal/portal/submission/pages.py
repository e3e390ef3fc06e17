"""Build the check page: open needs, every answer with a link to change it, and the declaration."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import locks_of
from formation_portal.applications.models import Document
from formation_portal.applications.ownership_stakes import needs_of_owners
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import (
    AnswerGroup,
    AnswerLine,
    DocumentLine,
    InactiveAnswers,
    inactive_in,
    readback,
)
from formation_portal.applications.stored_rows import token_of
from formation_portal.contract.fields.base import control_name
from formation_portal.contract.inactive_answers import is_inactive
from formation_portal.contract.needs import Need
from formation_portal.relay.delivery_status import DeliveryStage, DeliveryStatus
from formation_portal.relay.models import ResourceKind
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.documents import advice
from formation_portal.ui.formats import PriceTable, application_price, counted
from formation_portal.ui.forms.controls import control_id, party_control, slot_id, slot_key
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.ownership import join_sentences, ownership
from formation_portal.ui.pagination import numbered_links, people_page
from formation_portal.ui.standing_advice import standing_advice

from ..feedback import DeliverySummary
from ..pages import Link, advice_link, application_url, need_link
from ..slots import slot_state
from .status import Progress, current_return

NEXT = "check"

# The ids of entries without a section, party or share class.
_SHARES = "shares"
_DOCUMENTS = "documents"
# The prefixes of the ids of other entries, by the view that changes their answers.
_PREFIXES = {"section": "section", "party": "party", "share_class": "class"}


@dataclass(frozen=True)
class CheckEntry:
    """The answers of a section, party or share class. Parties and share classes are folded unless `is_open`."""

    id: str
    group: AnswerGroup[Any]
    rows: list[AnswerRow]
    delivery: DeliveryStatus
    needs: list[Link]
    is_unchanged: bool
    documents: list[AnswerRow]
    is_open: bool

    @property
    def facts(self) -> str:
        """Summarise the entry: "Director. 16 answers, 4 documents, unchanged. Received."."""
        counts = [
            counted(len(answered_rows(self.rows)), "{count} answer", "{count} answers"),
            counted(len(answered_rows(self.documents)), "{count} document", "{count} documents"),
        ]
        if self.is_unchanged:
            counts.append(gettext("unchanged"))
        sentences = [self.group.note, ", ".join(filter(None, counts))]
        if self.delivery.state is DeliveryStage.RECEIVED:
            sentences.append(gettext(self.delivery.state.label))
        return join_sentences(*sentences)

    @property
    def answered(self) -> list[AnswerRow]:
        return answered_rows((*self.rows, *self.documents))

    @property
    def unanswered(self) -> list[AnswerRow]:
        return unanswered_rows((*self.rows, *self.documents))


def answered_rows(rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    """Return the rows with a value, readable or not."""
    return [row for row in rows if row.value or row.state == "error"]


def unanswered_rows(rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    return [row for row in rows if not row.value and row.state != "error"]


class CheckPage:
    """The check page of a draft, or of a submitted application.

    `refused_for` are the needs of a refused submission, `row` is the row to return to. `number` is the page of a long
    list of people and companies, unless the row is on another page.
    """

    def __init__(
        self,
        draft: Draft,
        delivery: DeliverySummary,
        *,
        refused_for: Sequence[Need] | None = None,
        row: str = "",
        number: str = "",
    ) -> None:
        self.draft = draft
        self.delivery = delivery
        self._row = row
        self._locks = locks_of(draft)
        self.returned = current_return(delivery, Progress(draft.application))
        self.needs = self._all_needs(refused_for)
        self.corrections: list[Link] = []
        # The needs other than corrections, by entry. Corrections are listed at the head of the page.
        self.additions: dict[str, list[Link]] = {}
        # The entry's id and the field of each need.
        self._needed: set[tuple[str, str | None]] = set()
        for need in self.needs:
            entry_id = _entry_id_of(draft, need)
            self._needed.add((entry_id, need.field))
            links = self.corrections if need.is_correction else self.additions.setdefault(entry_id, [])
            links.append(need_link(draft, need, back_to=NEXT))
        allocation = Allocation(draft)
        self.advice = [advice_link(draft, advice, back_to=NEXT) for advice in standing_advice(draft, allocation)]
        self.addition_count = sum(map(len, self.additions.values()))
        self.ownership = ownership(draft, allocation)
        with_entry: list[PartyRow] = []
        # Parties shown among the owners, or inactive at present.
        without_entry: list[PartyRow] = []
        for party in draft.parties:
            is_owner = self.ownership is not None and self.ownership.covers(party)
            is_without = is_owner or is_inactive(draft.form_state, party.record)
            (without_entry if is_without else with_entry).append(party)
        in_row = (place for place, party in enumerate(with_entry) if row and party.token in row)
        self._people_shown = people_page(with_entry, number, with_row=next(in_row, None))
        self.people_links = numbered_links(self._people_shown, QueryDict(), anchor="#people")
        self.readback = readback(draft, only={party.token for party in (*self._people_shown, *without_entry)})
        self.sections = self._section_entries()
        self.people = self._party_entries()
        self.share_classes = self._share_class_entries()
        self.holdings = delivery.deliveries.of_all(ResourceKind.SHAREHOLDING)
        self.are_shares_open = draft.application.is_open and not self._locks.has_shares(draft)
        self.documents = self._other_documents()
        self.uploaded = answered_rows(self.documents)
        self.not_uploaded = unanswered_rows(self.documents)

    def _all_needs(self, refused_for: Sequence[Need] | None) -> tuple[Need, ...]:
        """Return all needs: first the service's refusals without a change since, then the others."""
        if not self.draft.application.is_open:
            return ()
        changed: set[str] = set()
        if self.returned:
            changed.update(item.text for item in self.returned.items if item.is_changed)
        refused = [need for need in self.delivery.refused if need.text not in changed]
        if refused_for is None:
            refused_for = (*self.draft.needs, *needs_of_owners(self.draft))
        return tuple(dict.fromkeys((*refused, *refused_for)))

    @property
    def additions_elsewhere(self) -> list[Link]:
        """Return links to needs without an entry on the page, such as more people or a first share class."""
        on_page = {link.url for link, _ in self.entries_with_needs}
        return [link for entry, links in self.additions.items() if f"#{entry}" not in on_page for link in links]

    @property
    def entries_with_needs(self) -> Iterator[tuple[Link, int]]:
        """Yield a link to each entry that has needs, with the number of its needs."""
        titles = {entry.id: entry.group.title for entry in (*self.sections, *self.people, *self.share_classes)}
        if self.readback.shares:
            titles[_SHARES] = gettext("Shares")
        if self.documents or _DOCUMENTS in self.additions:
            titles[_DOCUMENTS] = gettext("Documents")
        for entry, title in titles.items():
            if links := self.additions.get(entry):
                yield Link(title, f"#{entry}"), len(links)

    @cached_property
    def inactive_answers(self) -> InactiveAnswers:
        return inactive_in(self.draft)

    def _section_entries(self) -> list[CheckEntry]:
        locked = self._locks.answers_of("")
        entries: list[CheckEntry] = []
        for group in self.readback.sections:
            status = self.delivery.deliveries.of_section(group.subject)
            entries.append(self._entry("section", group.subject.key, group, locked, status))
        return entries

    def _party_entries(self) -> list[CheckEntry]:
        documents: dict[str, list[DocumentLine]] = {}
        for line in self.readback.documents:
            if line.party:
                documents.setdefault(line.party.token, []).append(line)
        entries: list[CheckEntry] = []
        for group in self.readback.parties:
            token = group.subject.token
            if group.subject in self._people_shown:
                locked = self._locks.answers_of(token)
                status = self.delivery.deliveries.of_party(token)
                entries.append(self._entry("party", token, group, locked, status, documents.get(token, ())))
        return entries

    def _share_class_entries(self) -> list[CheckEntry]:
        is_locked = self._locks.has_shares(self.draft)
        entries: list[CheckEntry] = []
        for group in self.readback.share_classes:
            locked = [line.spec.name for line in group.lines if is_locked]
            status = self.delivery.deliveries.of_share_class(group.subject.token)
            entries.append(self._entry("share_class", group.subject.token, group, locked, status))
        return entries

    def _entry(
        self,
        view: str,
        key: str,
        group: AnswerGroup[Any],
        locked: Collection[str],
        delivery: DeliveryStatus,
        documents: Sequence[DocumentLine] = (),
    ) -> CheckEntry:
        id_ = f"{_PREFIXES[view]}-{key}"
        rows: list[AnswerRow] = []
        for line in group.lines:
            place = control_id(party_control(line.spec) if view == "party" else control_name(line.spec))
            row_id = f"row-{id_}-{place}"
            url = self._change_url(view, key, place, row_id)
            row = self._answer_row(line, row_id, url, is_locked=line.spec.name in locked)
            if row.value or (id_, line.spec.name) not in self._needed:
                rows.append(row)
        document_rows = self._document_rows(documents)
        is_changed = self.returned is not None and key in self.returned.holders
        is_come_back_to = bool(self._row) and any(row.id == self._row for row in (*rows, *document_rows))
        has_advice = not {"error", "warning"}.isdisjoint(row.state for row in rows)
        if not has_advice:
            has_advice = any(line.document and advice(self.draft, line.party, line.document) for line in documents)
        return CheckEntry(
            id_,
            group,
            rows=rows,
            delivery=delivery,
            needs=self.additions.get(id_, []),
            is_unchanged=not (self.returned is None or is_changed or is_come_back_to),
            documents=document_rows,
            is_open=is_changed or is_come_back_to or (self.draft.application.is_open and has_advice),
        )

    def _answer_row(self, line: AnswerLine, id_: str, change_url: str, *, is_locked: bool) -> AnswerRow:
        row = AnswerRow(
            id=id_,
            term=line.spec.label,
            value=line.value,
            is_name=line.is_name and not line.is_unreadable,
            note=_note(line),
            state=_mark(line),
            change_what=gettext("the answer to “{label}”").format(label=line.spec.label),
        )
        if is_locked:
            return replace(row, note=gettext("Accepted"))
        if line.spec.provided_by_agent:
            return row
        return replace(row, change_url=change_url)

    def _other_documents(self) -> list[AnswerRow]:
        """Return the documents of the entity, and of parties without an entry."""
        with_entry = {entry.group.subject.token for entry in self.people}
        lines = [line for line in self.readback.documents if line.party is None or line.party.token not in with_entry]
        return self._document_rows(lines)

    @cached_property
    def price(self) -> PriceTable | None:
        price = application_price(self.draft.application)
        return PriceTable(price) if price.is_given else None

    def _document_rows(self, lines: Iterable[DocumentLine]) -> list[AnswerRow]:
        """Return rows for documents; in an open application, missing required ones are left out and listed as needs."""
        is_open = self.draft.application.is_open
        return [row for row in map(self._document_row, lines) if row.value or not (is_open and row.state)]

    def _document_row(self, line: DocumentLine) -> AnswerRow:
        place = slot_id(slot_key(token_of(line.party), line.slot))
        change_what = gettext("the document “{slot}”").format(slot=line.words)
        if line.party:
            change_what = gettext("the document “{slot}” of {holder}").format(slot=line.words, holder=line.party.label)
        row = AnswerRow(line.words, "", id=f"row-{place}", change_what=change_what)
        if line.document:
            row = replace(row, value=line.document.name, note=self._document_note(line, line.document))
        elif line.is_required:
            row = replace(row, state="open")
        else:
            row = replace(row, note=gettext("Optional"))
        if self._locks.has_document(line):
            return replace(row, note=gettext("Accepted"))
        return replace(row, change_url=self._change_url("documents", "", place, row.id))

    def _document_note(self, line: DocumentLine, document: Document) -> str:
        """Describe the state of a document's delivery, and add the advice about it."""
        state = slot_state(document, self.delivery.deliveries.of(ResourceKind.DOCUMENT, document.subject))
        return join_sentences(state.detail or state.word, state.note, *advice(self.draft, line.party, document))

    def _change_url(self, view: str, key: str, place: str, row: str) -> str:
        """Return the URL of a control, from which a save leads back to the row."""
        if not self.draft.application.can_be_changed:
            return ""
        return application_url(self.draft.application.reference, view, key, next=NEXT, row=row) + f"#{place}"


def _entry_id_of(draft: Draft, need: Need) -> str:
    """Return the id of the entry that a need belongs to; "" without such an entry."""
    if need.slot is not None and need.party_id is None:
        return _DOCUMENTS
    if need.code in ("holding", "over_issued") or (need.party_id and need.share_class_id):
        return _SHARES
    if need.party_id is not None:
        return f"party-{need.party_id}"
    if need.share_class_id is not None:
        return f"class-{need.share_class_id}"
    section = draft.schema.section(need.section)
    return f"section-{need.section}" if section is not None and section.is_entity else ""


def _mark(line: AnswerLine) -> str:
    if line.is_unreadable or line.objection:
        return "error"
    if line.is_incomplete:
        return "open"
    return "warning" if line.advice else ""


def _note(line: AnswerLine) -> str:
    if line.spec.provided_by_agent:
        return gettext("Provided by your registered agent")
    if line.is_incomplete:
        return gettext("Not complete yet")
    if line.is_unreadable:
        return gettext("We can’t read this")
    return line.objection or line.advice or line.doubt


def declaration_of(draft: Draft) -> str:
    return gettext(
        "I declare that the information in this application for {name} is true and complete. "
        "Everyone named in it knows that I am giving it. I will tell you if anything changes before "
        "the incorporation."
    ).format(name=draft.title)
