"""One submitted application as an agent checks it: what there is, what changed since the last round, what was said."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import OWNER_PREFIX
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.applications.readback import AnswerGroup, AnswerLine, Readback, readback
from formation_portal.contract.schema import Section
from formation_portal.reviews.checklist import CHANGED, OPEN, Checklist, Fact, load_checklist
from formation_portal.reviews.checks import OpenedDocuments, opened_documents
from formation_portal.reviews.decisions import Registration, registration_of
from formation_portal.reviews.models import MAX_TEXT, Query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind, holder_name
from formation_portal.reviews.transactions import ReviewVersion
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.ownership import Ownership, ownership

from ..case_access import has_documents
from ..case_urls import case_url, party_url, queue_shown
from ..delivery_status import CaseDeliveries, case_deliveries
from ..documents import opened_by
from ..lookups import can_review
from ..queue_state import QueueState
from ..service_status.pages import ServiceStatusCard, service_status_card
from ..wording import WAITING_FOR_PAYMENT, if_any, ordinal, state_words, together
from .entries import AnswerRow, CaseEntry, DocumentRow, FactStatus, PartyLine
from .history import Difference, Differences, changed_words, differences, history_lines, history_of
from .query_panels import QueryPanel, QueryPanels, target_id

# In the address: only what changed, or everything. Without it a later round shows what changed.
CHANGED_PARAMETER = "changed"
# So many lines of the history are shown; the audit has all.
_LINES = 14


@dataclass(frozen=True)
class CasePage:
    """One application as one reader sees it. `shown` is the queue that it was opened from; `only_changed` leaves out
    what is as it was; `other_url` leads to everything, or to what changed alone; `seen` is who has opened which
    documents, and `has_documents` whether the reader may open them. `shown_targets` gathers the targets that the page
    shows, so that nothing that was said is left out."""

    draft: Draft
    shown: QueueState
    only_changed: bool
    back: str
    other_url: str
    version: ReviewVersion
    # When, who and what: the newest lines, and whether there are more.
    newest_history: list[tuple[datetime, str, str]]
    has_more_history: bool
    differences: Differences
    readback: Readback
    checklist: Checklist
    panels: QueryPanels
    can_check: bool
    has_documents: bool
    seen: OpenedDocuments
    shown_targets: set[Target] = field(default_factory=set)

    note_limit = MAX_TEXT

    @property
    def status(self) -> str:
        """How the case stands, as agents read it."""
        if self.draft.application.payment_due_since is not None:
            return WAITING_FOR_PAYMENT
        return state_words(self.draft.application.status)

    @cached_property
    def service_status(self) -> ServiceStatusCard | None:
        """The formation service's own decision, while it waits for an agent: one query then."""
        case = getattr(self.draft.application, "case", None)
        return service_status_card(self.draft, version=self.version) if case and case.service_status else None

    @property
    def registration(self) -> Registration | None:
        """The company's entry in the register, once it was incorporated."""
        return registration_of(self.draft.application)

    @property
    def resubmission(self) -> str:
        """Which submission this is, as in "second submission"; nothing for the first."""
        number = self.draft.application.submissions
        return f"{ordinal(number)} submission" if number > 1 else ""

    @property
    def news(self) -> str:
        """What changed since the last return, in a sentence; nothing before the first one."""
        changes = self.differences
        if changes.move is None:
            return ""
        added = if_any(len(changes.added), "person, company or share class", "people, companies or share classes")
        parts = (
            changed_words(changes.found),
            f"{added} added" if added else "",
            f"{len(changes.removed)} removed" if changes.removed else "",
        )
        said = ", ".join(filter(None, parts))
        since = f"since this was returned on {date_format(localtime(changes.move.at), 'j F')}"
        return f"{said} {since}" if said else f"No changes {since}"

    @cached_property
    def whole(self) -> QueryPanel:
        """What was said about the whole application."""
        return self._panel(WHOLE_APPLICATION)

    @cached_property
    def sections(self) -> list[CaseEntry]:
        """Every section about the entity; where only what changed is asked for, those with something of it."""
        return [entry for entry in map(self._section, self.readback.sections) if entry is not None]

    def _section(self, group: AnswerGroup[Section]) -> CaseEntry | None:
        key = group.subject.key
        target = Target(TargetKind.SECTION, key)
        fact, panel = self.checklist.at(target), self._panel(target)
        rows = [*self._rows(key, "", group.lines), *self._no_longer_asked(group)]
        more = self._panels_not_shown(key)
        shown = rows
        if not self._is_to_be_read(fact):
            shown = [row for row in rows if row.difference or row.panel.open_queries]
            if not shown and not panel.open_queries and not more:
                return None
        changed = sum(row.difference is not None for row in rows)
        return CaseEntry(
            id=f"section-{key}",
            title=group.title,
            rows=shown,
            note=f"{changed} changed" if changed else "",
            hidden=len(rows) - len(shown),
            status=FactStatus(fact, has_query=self._has_query(key)) if fact else None,
            panel=panel,
            more=more,
        )

    def _rows(self, holder: str, changes_of: str, lines: Iterable[AnswerLine]) -> Iterator[AnswerRow]:
        for line in lines:
            changed = self.differences.at(changes_of, line.spec.name)
            panel = self._panel(Target.of_field(holder, line.spec.name))
            note = "Provided by the registered agent" if line.is_given else line.objection or line.advice
            if line.is_unreadable:
                note = "Unreadable"
            mark = "changed" if changed else "heed" if panel.open_queries else ""
            mark = "stop" if line.has_to_be_corrected else mark
            yield AnswerRow(line.spec.label, line.value, line.is_name, note, mark, changed, panel)

    def _no_longer_asked(self, group: AnswerGroup[Section]) -> Iterator[AnswerRow]:
        """What was answered before and is not asked any more, since another answer has changed."""
        shown = {line.spec.name for line in group.lines}
        for spec in group.subject.fields:
            changed = self.differences.at("", spec.name)
            if changed is not None and spec.name not in shown:
                panel = self._panel(Target.of_field(group.subject.key, spec.name))
                yield AnswerRow(changed.label, changed.after, False, "No longer asked", "changed", changed, panel)

    def _is_to_be_read(self, fact: Fact | None) -> bool:
        """Whether all of it is shown: nobody should accept what nobody has read."""
        return not self.only_changed or fact is None or fact.check is None or not fact.check.digest

    def _has_query(self, *holders: str) -> bool:
        """Whether a query is open about any of these, or anything in them."""
        return any(query.holder in holders for query in self.checklist.queries)

    @cached_property
    def share_classes(self) -> list[CaseEntry]:
        """The classes of shares."""
        return list(map(self._share_class, self.readback.share_classes))

    def _share_class(self, group: AnswerGroup[ShareClassRow]) -> CaseEntry:
        token = group.subject.token
        rows = list(self._rows(token, token, group.lines))
        changed = if_any(sum(row.difference is not None for row in rows), "change")
        note = together("New", changed) if token in self.differences.added else changed
        return CaseEntry(f"class-{token}", group.title, rows, note)

    @cached_property
    def share_changes(self) -> tuple[Difference, ...]:
        """What changed of the holdings."""
        section = self.draft.schema.share_section
        return self.differences.of(section.key) if section else ()

    @cached_property
    def shares(self) -> CaseEntry | None:
        """Classes and holdings, as far as they are asked for; where only what changed is asked for, if they did."""
        section = self.draft.schema.share_section
        if section is None or not self.draft.holds_shares:
            return None
        target = Target(TargetKind.SECTION, section.key)
        rows = [row for entry in self.share_classes for row in entry.rows]
        holders = [section.key, *(row.token for row in self.draft.share_classes)]
        fact, panel = self.checklist.at(target), self._panel(target)
        more = tuple(panel for holder in holders for panel in self._panels_not_shown(holder))
        is_new = not self.differences.added.isdisjoint(holders)
        has_news = is_new or any(row.difference or row.panel.open_queries for row in rows)
        if not (has_news or self.share_changes or more or panel.open_queries or self._is_to_be_read(fact)):
            return None
        status = FactStatus(fact, has_query=self._has_query(*holders)) if fact else None
        return CaseEntry("shares", "Shares", [], status=status, panel=panel, more=more)

    @cached_property
    def parties(self) -> list[PartyLine]:
        """Every party; where only what changed is asked for, those that changed or are not done."""
        return [line for line in self._party_lines if not (self.only_changed and line.is_left_out)]

    @property
    def hidden_parties(self) -> int:
        """How many are left out."""
        return len(self._party_lines) - len(self.parties)

    @cached_property
    def _party_lines(self) -> list[PartyLine]:
        lines = []
        for group in self.readback.parties:
            token = group.subject.token
            lines.append(
                PartyLine(
                    group,
                    checklist=self.checklist.of_holder(token),
                    changes=self.differences.of(token),
                    is_new=token in self.differences.added,
                    queries=sum(query.holder == token for query in self.checklist.queries),
                    url=party_url(self.draft.application.reference, token, self.shown),
                )
            )
        return lines

    @property
    def party_status(self) -> str:
        """How far the checks of all parties are."""
        parties = [holder for holder in self.checklist.holders if holder.token]
        there_are = sum(len(holder.facts) for holder in parties)
        return f"{sum(holder.done for holder in parties)} of {if_any(there_are, 'check')} done" if there_are else ""

    @property
    def screening(self) -> list[tuple[str, int]]:
        """What parties lack of the required screening checks, each with how many lack it."""
        return list(Counter(text for holder in self.checklist.holders for text in holder.screening).items())

    @cached_property
    def ownership(self) -> Ownership | None:
        """Who owns whom."""
        return ownership(self.draft, self._allocation)

    @cached_property
    def _allocation(self) -> Allocation:
        return Allocation(self.draft)

    @cached_property
    def owners(self) -> list[tuple[PartyRow, str]] | None:
        """Whoever owns as much in the end as counts where the company is formed, each with their part of all shares;
        None where shares are not kept here. No query beside that of the ownership."""
        shares = self._allocation
        if not self.draft.holds_shares:
            return None
        ends = [party for party in self.draft.parties if not party.is_owned and shares.reaches_threshold(party)]
        return [(party, shares.share_percents.of(party.token, shares.final_shares.of(party.token))) for party in ends]

    @property
    def owner_changes(self) -> list[Difference]:
        """What changed of that."""
        return [one for one in self.differences.found if one.name.startswith(OWNER_PREFIX)]

    @cached_property
    def _document_rows(self) -> list[DocumentRow]:
        """Every document that is asked for; where only changes are shown, those that changed or are asked about."""
        rows = []
        for line in self.readback.documents:
            holder = line.party.token if line.party else ""
            target, changed = Target.of_document(holder, line.slot), self.differences.at(holder, line.slot)
            seen = opened_by(self.seen.names_of(line.document.pk)) if line.document else ""
            if line.party is None:
                fact = self.checklist.at(target)
                rows.append(DocumentRow(line, changed, seen, FactStatus(fact) if fact else None, self._panel(target)))
            else:
                # A party's are checked on its own page.
                rows.append(DocumentRow(line, changed, seen))
        return [row for row in rows if not self.only_changed or row.mark in ("heed", "open", "changed")]

    @property
    def documents(self) -> list[DocumentRow]:
        """The entity's own, which are checked here, and those of parties that changed."""
        return [row for row in self._document_rows if row.line.party is None or row.mark]

    @property
    def party_documents(self) -> list[DocumentRow]:
        """The others, which are checked on the pages of their parties."""
        return [row for row in self._document_rows if row.line.party is not None and not row.mark]

    @property
    def left(self) -> list[Fact]:
        """What the button that accepts all takes: the sections and documents that the page shows and that are to be
        checked, but for those that a query is open about."""
        shares = [self.shares] if self.shares else []
        shown: list[CaseEntry | DocumentRow] = [*self.sections, *shares, *self.documents]
        found = [one.status for one in shown if one.status and not one.status.has_query]
        return [status.fact for status in found if self.can_check and status.fact.state in (OPEN, CHANGED)]

    @cached_property
    def lost(self) -> tuple[QueryPanel, ...]:
        """What was said where the page shows nothing any more; parties have pages of their own."""
        # Every part has to have said first which targets it shows.
        _ = self.whole, self.sections, self.shares, self._document_rows
        return self._panels_not_shown()

    def _panel(self, target: Target) -> QueryPanel:
        """What was said about a target that the page shows."""
        self.shown_targets.add(target)
        return QueryPanel(self.panels, target)

    def _panels_not_shown(self, holder: str | None = None) -> tuple[QueryPanel, ...]:
        """What was said where the page shows nothing any more: at one holder, or everywhere but at parties."""
        parties = {row.token for row in self.draft.parties}
        lost = [one for one in self.panels.targets if one not in self.shown_targets and one.holder not in parties]
        if holder is not None:
            lost = [one for one in lost if one.holder == holder and one.kind is not TargetKind.APPLICATION]
        return tuple(map(self._panel, lost))

    @cached_property
    def drafted(self) -> list[tuple[Query, str, str]]:
        """The queries that go out with the next return, each with whose it is about, and where it is changed."""
        reference, found = self.draft.application.reference, []
        for query in self.panels.all:
            if query.is_draft:
                target = query.target
                is_party = self.draft.party(target.holder) is not None and target.kind is not TargetKind.SECTION
                page = reverse("desk:party", args=[reference, target.holder]) if is_party else self.back
                found.append((query, holder_name(self.draft, target), f"{page}#{target_id(target)}"))
        return found

    @cached_property
    def deliveries(self) -> CaseDeliveries:
        """How far each thing has come at the service."""
        return case_deliveries(self.draft)


def case_page(draft: Draft, *, reader: User, asked: Mapping[str, str]) -> CasePage:
    """The page of one submitted application, read with its review (desk/lookups.py); `asked` is the address's query.

    Eight database queries more: queries to the customer, checks, notes, owners, history, deliveries, the service, and
    who has opened which documents.
    """
    application, shown = draft.application, queue_shown(asked)
    history = history_of(application)
    changes = differences(draft, history)
    only_changed = bool(changes) and asked.get(CHANGED_PARAMETER, "1") != "0"
    address = case_url(application.reference, shown)
    back = _with(address, only_changed) if changes else address
    version, read_back = ReviewVersion.of_loaded(application), readback(draft)
    panels = QueryPanels(draft, reader=reader, back=back, version=version, lazily=True)
    lines = history_lines(application, history, panels.all)
    return CasePage(
        draft=draft,
        shown=shown,
        only_changed=only_changed,
        back=back,
        other_url=_with(address, not only_changed) if changes else "",
        version=version,
        newest_history=lines[:_LINES],
        has_more_history=len(lines) > _LINES,
        differences=changes,
        readback=read_back,
        checklist=load_checklist(draft, read_back=read_back, queries=[one for one in panels.all if one.is_open]),
        panels=panels,
        can_check=can_review(draft, reader),
        has_documents=has_documents(getattr(application, "case", None), reader),
        seen=opened_documents(draft),
    )


def _with(address: str, only_changed: bool) -> str:
    """The address that shows only what changed, or everything."""
    return f"{address}{'&' if '?' in address else '?'}{CHANGED_PARAMETER}={int(only_changed)}"
