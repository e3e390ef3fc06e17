"""The check page: what is still needed first, then every answer with the way to change it, and the declaration."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

from django.core.paginator import Page
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import Locks, locks_of
from formation_portal.applications.ownership_stakes import needs_of_owners
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import (
    AnswerGroup,
    AnswerLine,
    DocumentLine,
    InactiveAnswers,
    Readback,
    inactive_in,
    readback,
)
from formation_portal.contract.fields.base import FieldSpec, control_name
from formation_portal.contract.inactive_answers import is_inactive
from formation_portal.contract.needs import Need
from formation_portal.relay.delivery_status import DeliveryStatus
from formation_portal.relay.models import ResourceKind
from formation_portal.ui.documents import advice
from formation_portal.ui.formats import PriceTable, application_price
from formation_portal.ui.forms.controls import control_id, party_control, slot_id, slot_key
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.ownership import Ownership, ownership
from formation_portal.ui.pagination import PageLink, numbered_links, people_page

from ..feedback import DeliverySummary
from ..pages import Link, need_links
from ..slots import slot_state
from .corrections import Returned, returned
from .entries import CheckEntry, answered_rows, unanswered_rows
from .status import Progress

NEXT = "check"
_ROW = "row-"


_SHARES, _DOCUMENTS = "shares", "papers"


@dataclass(frozen=True)
class CheckPage:
    """The check page of a draft, or of what was submitted. While the state allows no change, no row has a way to one.

    `refused_for` are the needs that a submission was refused for, and `row` is where a change leads back to.
    """

    draft: Draft
    delivery: DeliverySummary
    refused_for: Sequence[Need] | None = None
    row: str = ""
    # Which page of people and companies, of many; where a change leads back to decides first.
    number: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it can still be changed and submitted."""
        return self.draft.application.is_open

    @cached_property
    def returned(self) -> Returned | None:
        """What came back and what was changed since, where it was submitted before."""
        if self.draft.application.submitted_at is None or not self.is_open:
            return None
        return returned(self.delivery, Progress(self.draft.application).returned)

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """What is still needed: first what the service refused and nobody has changed since."""
        if not self.is_open:
            return ()
        done = {item.said for item in self.returned.items if item.is_done} if self.returned else set()
        refused = (need for need in self.delivery.refused if need.text not in done)
        needed = self.refused_for
        if needed is None:
            needed = (*self.draft.needs, *needs_of_owners(self.draft))
        return tuple(dict.fromkeys((*refused, *needed)))

    @cached_property
    def _needs_by_entry(self) -> dict[str, list[Need]]:
        found: dict[str, list[Need]] = {}
        for need in self.needs:
            found.setdefault(_entry_of(self.draft, need), []).append(need)
        return found

    def _needs_at(self, entry: str) -> tuple[Link, ...]:
        """Return what an entry lacks; corrections stand together at the head of the page and at their answers."""
        missing = (need for need in self._needs_by_entry.get(entry, ()) if not need.is_correction)
        return need_links(self.draft, missing, back_to=NEXT)

    @property
    def corrections(self) -> tuple[Link, ...]:
        """Return what has to be corrected, each with the way to it."""
        return need_links(self.draft, (need for need in self.needs if need.is_correction), back_to=NEXT)

    @property
    def additions(self) -> int:
        """Return how many needs add something missing."""
        return sum(not need.is_correction for need in self.needs)

    @cached_property
    def document_needs(self) -> tuple[Link, ...]:
        return self._needs_at(_DOCUMENTS)

    @cached_property
    def share_needs(self) -> tuple[Link, ...]:
        return self._needs_at(_SHARES)

    @property
    def needs_elsewhere(self) -> tuple[Link, ...]:
        """The needs of what has no entry on the page: more people, a first share class."""
        drawn = {link.url.removeprefix("#") for link, _ in self.entries_with_needs}
        needs = (need for entry, some in self._needs_by_entry.items() if entry not in drawn for need in some)
        return need_links(self.draft, (need for need in needs if not need.is_correction), back_to=NEXT)

    @property
    def entries_with_needs(self) -> Iterator[tuple[Link, int]]:
        """Yield the entries of the page that lack something, each with the way down to it and how much that is."""
        titles = {entry.id: entry.group.title for entry in self.entries}
        titles |= {_SHARES: gettext("Shares")} if self.readback.shares else {}
        titles |= {_DOCUMENTS: gettext("Documents")} if self.documents or _DOCUMENTS in self._needs_by_entry else {}
        for entry, title in titles.items():
            missing = [need for need in self._needs_by_entry.get(entry, ()) if not need.is_correction]
            if missing:
                yield Link(title, f"#{entry}"), len(missing)

    @cached_property
    def readback(self) -> Readback:
        return readback(self.draft, only={row.token for row in (*self.people_shown, *self._without_entry)})

    @cached_property
    def _without_entry(self) -> list[PartyRow]:
        """Whoever is drawn among the owners, or is not asked for at present."""
        state, tree = self.draft.form_state, self.ownership
        return [row for row in self.draft.parties if is_inactive(state, row.record) or (tree and tree.covers(row))]

    @cached_property
    def people_shown(self) -> Page[PartyRow]:
        """The page of the people and companies that have entries."""
        left_out = {row.token for row in self._without_entry}
        rows = [row for row in self.draft.parties if row.token not in left_out]
        left = next((place for place, row in enumerate(rows) if self.row and row.token in self.row), None)
        return people_page(rows, self.number, with_row=left)

    @property
    def people_links(self) -> tuple[PageLink, ...]:
        """The pages of people and companies."""
        return tuple(
            replace(link, url=link.url and f"{link.url}#people")
            for link in numbered_links(self.people_shown, QueryDict())
        )

    @cached_property
    def ownership(self) -> Ownership | None:
        """Who is behind the shareholders; whoever is drawn there has no entry of their own."""
        return ownership(self.draft)

    @cached_property
    def inactive_answers(self) -> InactiveAnswers | None:
        """What is kept and not sent; it is no answer, and stands apart."""
        found = inactive_in(self.draft) if self.is_open else None
        return found if found and found.rows else None

    @cached_property
    def _locks(self) -> Locks:
        """What was accepted, and stays as it is."""
        return locks_of(self.draft)

    @property
    def entries(self) -> list[CheckEntry]:
        """The answers of each section, party and share class."""
        return [*self.sections, *self.people, *self.share_classes]

    @cached_property
    def sections(self) -> list[CheckEntry]:
        entries, locked = [], self._locks.answers_of("")
        for section in self.readback.sections:
            key = section.subject.key
            rows = self._rows(section.lines, self._url("section", key), control_name, f"section-{key}", locked)
            status = self.delivery.deliveries.of_section(section.subject)
            entries.append(self._entry(f"section-{key}", key, section, rows, status))
        return entries

    @cached_property
    def people(self) -> list[CheckEntry]:
        """Each party of the page with its documents; whoever is drawn below, or is not asked for, has no entry."""
        entries = []
        documents: dict[str, list[DocumentLine]] = {}
        for line in self.readback.documents:
            documents.setdefault(line.party.token if line.party else "", []).append(line)
        shown = {row.token for row in self.people_shown}
        for party in self.readback.parties:
            if party.subject.token in shown:
                token, locked = party.subject.token, self._locks.answers_of(party.subject.token)
                rows = self._rows(party.lines, self._url("party", token), party_control, f"party-{token}", locked)
                status = self.delivery.deliveries.of_party(token)
                entries.append(self._entry(f"party-{token}", token, party, rows, status, documents.get(token, ())))
        return entries

    @cached_property
    def share_classes(self) -> list[CheckEntry]:
        entries, are_locked = [], self._locks.has_shares(self.draft)
        for shares in self.readback.share_classes:
            token, locked = shares.subject.token, frozenset(line.spec.name for line in shares.lines if are_locked)
            rows = self._rows(shares.lines, self._url("share_class", token), control_name, f"class-{token}", locked)
            status = self.delivery.deliveries.of_share_class(token)
            entries.append(self._entry(f"class-{token}", token, shares, rows, status))
        return entries

    def _entry(
        self,
        id: str,
        holder: str,
        group: AnswerGroup[Any],
        rows: list[AnswerRow],
        delivery: DeliveryStatus,
        documents: Sequence[DocumentLine] = (),
    ) -> CheckEntry:
        needed = {need.field for need in self._needs_by_entry.get(id, ())}
        shown = [row for row, line in zip(rows, group.lines, strict=True) if row.value or line.spec.name not in needed]
        papers = self._shown(documents)
        is_changed = self.returned is not None and holder in self.returned.holders
        is_left = bool(self.row) and any(row.id == self.row for row in (*shown, *papers))
        has_advice = self.is_open and (
            any(row.state in ("stop", "heed") for row in shown)
            or any(line.document and advice(self.draft, line.party, line.document) for line in documents)
        )
        return CheckEntry(
            id,
            group,
            rows=shown,
            delivery=delivery,
            needs=self._needs_at(id),
            is_unchanged=not (self.returned is None or is_changed or is_left),
            documents=papers,
            is_open=is_changed or is_left or has_advice,
        )

    def _shown(self, lines: Iterable[DocumentLine]) -> list[AnswerRow]:
        """The documents without those that are required and missing: they are needs while it is open."""
        return [row for row in map(self._document, lines) if row.value or not (self.is_open and row.state)]

    @property
    def are_shares_open(self) -> bool:
        """Whether the shares can still be changed."""
        return self.is_open and not self._locks.has_shares(self.draft)

    @cached_property
    def holdings(self) -> DeliveryStatus:
        """How far the shareholdings have come."""
        return self.delivery.deliveries.of_all(ResourceKind.SHAREHOLDING)

    @cached_property
    def documents(self) -> list[AnswerRow]:
        """The application's own, and whatever belongs to nobody who has an entry."""
        drawn = {entry.group.subject.token for entry in self.people}
        return self._shown(
            line for line in self.readback.documents if line.party is None or line.party.token not in drawn
        )

    @property
    def uploaded(self) -> list[AnswerRow]:
        return answered_rows(self.documents)

    @property
    def not_uploaded(self) -> list[AnswerRow]:
        """The documents that nobody has to upload, and nobody has."""
        return unanswered_rows(self.documents)

    @cached_property
    def price(self) -> PriceTable | None:
        price = application_price(self.draft.application)
        return PriceTable(price) if price.is_given else None

    def _document(self, line: DocumentLine) -> AnswerRow:
        holder = line.party.label if line.party else ""
        place = slot_id(slot_key(line.party.token if line.party else None, line.slot))
        is_missing = line.is_required and line.document is None
        is_locked = self._locks.has_document(line)
        row = f"{_ROW}{place}"
        return AnswerRow(
            id=row,
            term=line.words,
            value=line.document.name if line.document else "",
            note=gettext("Accepted") if is_locked else self._document_note(line),
            state="open" if is_missing else "",
            change_url="" if is_locked else self._change(self._url("documents"), place, row),
            change_what=(
                gettext("the document “{slot}” of {holder}").format(slot=line.words, holder=holder)
                if holder
                else gettext("the document “{slot}”").format(slot=line.words)
            ),
        )

    def _document_note(self, line: DocumentLine) -> str:
        """How far the file has come, and what may be amiss with it."""
        if line.document is None:
            return "" if line.is_required else gettext("Optional")
        state = slot_state(line.document, self.delivery.deliveries.of(ResourceKind.DOCUMENT, line.document.subject))
        words = ". ".join(filter(None, (state.detail or state.word, state.note)))
        said = advice(self.draft, line.party, line.document)
        return " ".join((f"{words.removesuffix('.')}.", *said)) if said else words

    def _rows(
        self,
        lines: Sequence[AnswerLine],
        page: str,
        control: Callable[[FieldSpec], str],
        entry: str,
        locked: Collection[str],
    ) -> list[AnswerRow]:
        rows = []
        for line in lines:
            place = control_id(control(line.spec))
            row, is_locked = f"{_ROW}{entry}-{place}", line.spec.name in locked
            rows.append(
                AnswerRow(
                    id=row,
                    term=line.spec.label,
                    value=line.value,
                    is_name=line.is_name and not line.is_unreadable,
                    note=gettext("Accepted") if is_locked else _note(line),
                    state=_mark(line),
                    change_url="" if line.is_given or is_locked else self._change(page, place, row),
                    change_what=gettext("the answer to “{label}”").format(label=line.spec.label),
                )
            )
        return rows

    def _url(self, view: str, *keys: str) -> str:
        return reverse(f"portal:{view}", args=[self.draft.application.reference, *keys])

    def _change(self, page: str, place: str, row: str) -> str:
        """The way to the control, which knows the way back to the row."""
        can_be_changed = self.draft.application.can_be_changed
        return f"{page}?next={NEXT}&row={quote(row, safe='')}#{place}" if can_be_changed else ""


def _entry_of(draft: Draft, need: Need) -> str:
    """The id of the entry that a need belongs to; empty where it belongs to none."""
    if need.slot is not None:
        return f"party-{need.party_id}" if need.party_id else _DOCUMENTS
    if need.code in ("holding", "over_issued") or (need.party_id and need.share_class_id):
        return _SHARES
    if need.party_id is not None:
        return f"party-{need.party_id}"
    if need.share_class_id is not None:
        return f"class-{need.share_class_id}"
    section = draft.schema.section(need.section)
    return f"section-{need.section}" if section is not None and section.is_entity else ""


def _mark(line: AnswerLine) -> str:
    if line.has_to_be_corrected:
        return "stop"
    if line.is_incomplete:
        return "open"
    return "heed" if line.advice else ""


def _note(line: AnswerLine) -> str:
    if line.is_given:
        return gettext("Provided by your registered agent")
    if line.is_incomplete:
        return gettext("Not complete yet")
    return gettext("We can’t read this") if line.is_unreadable else line.objection or line.advice or line.doubt


def declaration_of(draft: Draft) -> str:
    """What whoever submits it declares."""
    return gettext(
        "I declare that the information in this application for {name} is true and complete. "
        "Everyone named in it knows that I am giving it. I will tell you if anything changes before "
        "the incorporation."
    ).format(
        name=draft.title,
    )
