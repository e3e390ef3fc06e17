"""The check page: what is still needed first, then every answer with the way to change it, and the declaration."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.urls import reverse

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import Locks, locks_of
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.applications.readback import (
    AnswerGroup,
    AnswerLine,
    DocumentLine,
    InactiveAnswers,
    ShareTable,
    inactive_in,
    readback,
)
from formation_portal.contract.fields.base import FieldSpec, control_name
from formation_portal.contract.inactive_answers import is_inactive
from formation_portal.contract.localisation import gettext
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStatus
from formation_portal.relay.resources import ResourceKind
from formation_portal.ui.documents import advice
from formation_portal.ui.formats import PriceTable, application_price
from formation_portal.ui.forms.controls import control_id, party_control, slot_id, slot_key
from formation_portal.ui.ownership import Ownership, ownership

from ..feedback import delivery_summary
from ..pages import Link, need_links
from ..slots import slot_state
from .corrections import Returned, returned
from .progress import progress

NEXT = "check"
_ROW = "row-"


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One answer, as ui/summary_row.html draws it. The way back from its change leads to its id."""

    id: str
    term: str
    value: str
    is_name: bool
    note: str
    state: str
    change_url: str
    change_what: str


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """Rows under one heading in the margin, and how far they have come."""

    id: str
    title: str
    is_name: bool
    note: str
    rows: tuple[SummaryRow, ...]
    delivery: DeliveryStatus


@dataclass(frozen=True, slots=True)
class CheckPage:
    """Everything that the check page shows. While the state allows no change, no row has a way to one."""

    draft: Draft
    needs: tuple[Link, ...]
    sections: tuple[SummaryEntry, ...]
    parties: tuple[SummaryEntry, ...]
    share_classes: tuple[SummaryEntry, ...]
    shares: ShareTable | None
    ownership: Ownership | None
    holdings: DeliveryStatus
    documents: tuple[SummaryRow, ...]
    price: PriceTable | None
    # What came back and what was changed since, where it was submitted before.
    returned: Returned | None
    # What is kept and not sent; it is no answer, and stands apart.
    aside: InactiveAnswers | None
    # What was accepted, and stays as it is.
    locks: Locks

    @property
    def is_open(self) -> bool:
        """Whether it can still be changed and submitted."""
        return self.draft.application.is_open

    @property
    def are_shares_open(self) -> bool:
        """Whether the shares can still be changed."""
        return self.is_open and not self.locks.has_shares(self.draft)


def check_page(draft: Draft, *, needs: Sequence[Need] | None = None) -> CheckPage:
    """The page for a draft, or for what was submitted. `needs` are those that a submission was refused for."""
    told, aside, behind = readback(draft), inactive_in(draft), ownership(draft)
    listed = (one for one in told.parties if not is_inactive(draft.form_state, one.subject.record))
    is_open = draft.application.is_open
    delivery = delivery_summary(draft)
    came_back = returned(delivery, progress(draft).returned) if draft.application.submitted_at and is_open else None
    # What the service refused and nobody has changed since.
    done = {item.said for item in came_back.items if item.is_done} if came_back else set()
    refused = tuple(need for need in delivery.refused if need.text not in done) if is_open else ()
    price = application_price(draft.application)
    still_needed = dict.fromkeys((*refused, *(draft.needs if needs is None else needs)))
    reader = _SummaryBuilder(draft, delivery.board)
    return CheckPage(
        draft=draft,
        needs=need_links(draft, tuple(still_needed), back_to=NEXT) if is_open else (),
        sections=tuple(map(reader.section, told.sections)),
        parties=tuple(reader.party(one) for one in listed if not (behind and behind.covers(one.subject))),
        share_classes=tuple(map(reader.share_class, told.share_classes)),
        shares=told.shares,
        ownership=behind,
        holdings=delivery.board.of_all(ResourceKind.SHAREHOLDING),
        documents=tuple(reader.document(line) for line in told.documents),
        price=PriceTable(price) if price.is_given else None,
        returned=came_back,
        aside=aside if aside.rows and is_open else None,
        locks=reader.locks,
    )


class _SummaryBuilder:
    """Turns what was read back into rows of this page, with links as long as changes are allowed."""

    def __init__(self, draft: Draft, board: ApplicationDeliveries) -> None:
        self._draft = draft
        self._board = board
        self._reference = draft.application.reference
        self._is_open = draft.application.can_be_changed
        self.locks = locks_of(draft)

    def section(self, group: AnswerGroup[Section]) -> SummaryEntry:
        section, locked = group.subject, self.locks.answers_of("")
        rows = self._rows(
            group.lines, self._page("section", section.key), control_name, f"section-{section.key}", locked
        )
        delivery = self._board.of_entity_fields(section.fields)
        return SummaryEntry(f"section-{section.key}", section.title, False, "", rows, delivery)

    def party(self, group: AnswerGroup[PartyRow]) -> SummaryEntry:
        token = group.subject.token
        locked = self.locks.answers_of(token)
        rows = self._rows(group.lines, self._page("party", token), party_control, f"party-{token}", locked)
        return SummaryEntry(f"party-{token}", group.title, True, group.note, rows, self._board.of_party(token))

    def share_class(self, group: AnswerGroup[ShareClassRow]) -> SummaryEntry:
        token, is_locked = group.subject.token, self.locks.has_shares(self._draft)
        locked = frozenset(line.spec.name for line in group.lines) if is_locked else frozenset()
        rows = self._rows(group.lines, self._page("share_class", token), control_name, f"class-{token}", locked)
        return SummaryEntry(f"class-{token}", group.title, True, group.note, rows, self._board.of_share_class(token))

    def document(self, line: DocumentLine) -> SummaryRow:
        holder = line.party.label if line.party else ""
        place = slot_id(slot_key(line.party.token if line.party else None, line.slot))
        is_missing = line.is_required and line.document is None
        is_locked = self.locks.has_document(line)
        row = f"{_ROW}{place}"
        return SummaryRow(
            id=row,
            term=f"{line.slot}, {holder}" if holder else line.slot,
            value=line.document.name if line.document else "",
            is_name=False,
            note=gettext("Accepted") if is_locked else self._document_note(line),
            state="open" if is_missing else "",
            change_url="" if is_locked else self._change(self._page("documents"), place, row),
            change_what=(
                gettext("the document “{slot}” of {holder}", slot=line.slot, holder=holder)
                if holder
                else gettext("the document “{slot}”", slot=line.slot)
            ),
        )

    def _document_note(self, line: DocumentLine) -> str:
        """How far the file has come, and what may be amiss with it."""
        if line.document is None:
            return "" if line.is_required else gettext("Optional")
        stands = slot_state(line.document, self._board.of(ResourceKind.DOCUMENT, line.document.subject))
        words = ". ".join(filter(None, (stands.detail or stands.word, stands.note)))
        said = advice(self._draft, line.party, line.document)
        return " ".join((f"{words.removesuffix('.')}.", *said)) if said else words

    def _rows(
        self,
        lines: Iterable[AnswerLine],
        page: str,
        control: Callable[[FieldSpec], str],
        entry: str,
        locked: Collection[str],
    ) -> tuple[SummaryRow, ...]:
        return tuple(
            self._row(line, page, control_id(control(line.spec)), entry, is_locked=line.spec.name in locked)
            for line in lines
        )

    def _row(self, line: AnswerLine, page: str, place: str, entry: str, *, is_locked: bool) -> SummaryRow:
        row = f"{_ROW}{entry}-{place}"
        return SummaryRow(
            id=row,
            term=line.spec.label,
            value=line.value,
            is_name=line.is_name and not line.is_unreadable,
            note=gettext("Accepted") if is_locked else _note(line),
            state="stop" if line.is_unreadable else "",
            change_url="" if line.is_given or is_locked else self._change(page, place, row),
            change_what=gettext("the answer to “{label}”", label=line.spec.label),
        )

    def _page(self, view: str, *keys: str) -> str:
        return reverse(f"portal:{view}", args=[self._reference, *keys])

    def _change(self, page: str, place: str, row: str) -> str:
        """The way to the control, which knows the way back to the row."""
        return f"{page}?next={NEXT}&row={quote(row, safe='')}#{place}" if self._is_open else ""


def _note(line: AnswerLine) -> str:
    if line.is_given:
        return gettext("Provided by your registered agent")
    return gettext("We can’t read this") if line.is_unreadable else line.doubt


@dataclass(frozen=True, slots=True)
class Declaration:
    """The text, and who makes it. `error` says that the box was left open."""

    text: str
    signer: str
    error: str = ""


def declaration_of(draft: Draft, *, by: User, error: str = "") -> Declaration:
    """The declaration for one application and the person who is about to submit it."""
    text = gettext(
        "I declare that the information in this application for {name} is true and complete. "
        "Everyone named in it knows that I am giving it. I will tell you if anything changes before "
        "the incorporation.",
        name=draft.title,
    )
    return Declaration(text, by.called, error)
