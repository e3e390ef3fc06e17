"""Show one submitted application as an agent checks it, with the changes since the last round, queries and notes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import OWNER_PREFIX
from formation_portal.applications.parties import PartyRow
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
from ..wording import WAITING_FOR_PAYMENT, if_any, numbered, ordinal, state_words, together
from .entries import AnswerRow, CaseEntry, DocumentRow, FactStatus, PartyLine
from .history import Difference, Differences, changed_words, differences, history_lines, history_of
from .query_panels import QueryPanel, QueryPanels, target_id

# Says in the address whether only changes are shown, which is the default of a later round.
CHANGED_PARAMETER = "changed"
# The audit log has all lines of the history.
_MAX_HISTORY_LINES = 14


@dataclass(frozen=True)
class CasePage:
    """An application as one reader sees it.

    `queue_state` is that of the queue from which it was opened. `only_changed` leaves out what has not changed since
    the last return, and `other_url` leads to the other view. `opened` tells who has opened which documents.
    """

    draft: Draft
    queue_state: QueueState
    only_changed: bool
    back: str
    other_url: str
    version: ReviewVersion
    # The newest lines of the history: when, who and what.
    newest_history: list[tuple[datetime, str, str]]
    has_more_history: bool
    differences: Differences
    readback: Readback
    checklist: Checklist
    panels: QueryPanels
    can_check: bool
    has_documents: bool
    opened: OpenedDocuments

    note_limit = MAX_TEXT

    @property
    def status(self) -> str:
        if self.draft.application.payment_due_since is not None:
            return WAITING_FOR_PAYMENT
        return state_words(self.draft.application.status)

    @cached_property
    def service_status(self) -> ServiceStatusCard | None:
        """Return the formation service's own decision, while it waits for an agent. One query then."""
        case = getattr(self.draft.application, "case", None)
        return service_status_card(self.draft, version=self.version) if case and case.service_status else None

    @property
    def registration(self) -> Registration | None:
        """Return the company's entry in the register, once it was incorporated."""
        return registration_of(self.draft.application)

    @property
    def resubmission(self) -> str:
        """Return "second submission" and so on; "" for the first."""
        number = self.draft.application.submissions
        return f"{ordinal(number)} submission" if number > 1 else ""

    @property
    def news(self) -> str:
        """Say what has changed since the last return; "" before the first one."""
        differences = self.differences
        if differences.move is None:
            return ""
        parts = []
        if differences.changes:
            parts.append(changed_words(differences.changes))
        if differences.added:
            added = len(differences.added)
            singular, plural = "person, company or share class", "people, companies or share classes"
            parts.append(f"{numbered(added, singular, plural)} added")
        if differences.removed:
            parts.append(f"{len(differences.removed)} removed")
        since = f"since this was returned on {date_format(localtime(differences.move.at), 'j F')}"
        return f"{', '.join(parts) or 'No changes'} {since}"

    @cached_property
    def whole(self) -> QueryPanel:
        """Return the queries and notes about the whole application."""
        return QueryPanel(self.panels, WHOLE_APPLICATION)

    @cached_property
    def sections(self) -> list[CaseEntry]:
        """Return the sections about the entity; with `only_changed` those that have changes or are not accepted."""
        entries = []
        for group in self.readback.sections:
            entry = self._section(group)
            if entry is not None:
                entries.append(entry)
        return entries

    def _section(self, group: AnswerGroup[Section]) -> CaseEntry | None:
        key = group.subject.key
        target = Target(TargetKind.SECTION, key)
        fact = self.checklist.at(target)
        panel = QueryPanel(self.panels, target)
        rows = [*self._rows(key, "", group.lines), *self._no_longer_asked(group)]
        removed = self._removed_panels[key]
        visible = rows
        if not self._must_be_read(fact):
            visible = [row for row in rows if row.difference or row.panel.open_queries]
            if not visible and not panel.open_queries and not removed:
                return None
        changed = sum(row.difference is not None for row in rows)
        return CaseEntry(
            id=f"section-{key}",
            title=group.title,
            rows=visible,
            note=f"{changed} changed" if changed else "",
            hidden=len(rows) - len(visible),
            status=FactStatus(fact, has_query=self._has_query(key)) if fact else None,
            panel=panel,
            more=removed,
        )

    def _rows(self, holder: str, changes_of: str, lines: Iterable[AnswerLine]) -> Iterator[AnswerRow]:
        for line in lines:
            difference = self.differences.at(changes_of, line.spec.name)
            panel = QueryPanel(self.panels, Target.of_field(holder, line.spec.name))
            if line.is_unreadable:
                note = "Unreadable"
            elif line.spec.provided_by_agent:
                note = "Provided by the registered agent"
            else:
                note = line.objection or line.advice
            if line.is_unreadable or line.objection:
                mark = "stop"
            elif difference:
                mark = "changed"
            else:
                mark = "heed" if panel.open_queries else ""
            yield AnswerRow(line.spec.label, line.value, line.is_name, note, mark, difference, panel)

    def _no_longer_asked(self, group: AnswerGroup[Section]) -> Iterator[AnswerRow]:
        """Yield the answers that are not asked any more, since another answer has changed."""
        for target, difference in self._differences_not_asked(group):
            panel = QueryPanel(self.panels, target)
            note = "No longer asked"
            yield AnswerRow(difference.label, difference.after, False, note, "changed", difference, panel)

    def _differences_not_asked(self, group: AnswerGroup[Section]) -> Iterator[tuple[Target, Difference]]:
        asked_names = {line.spec.name for line in group.lines}
        for spec in group.subject.fields:
            difference = self.differences.at("", spec.name)
            if difference is not None and spec.name not in asked_names:
                yield Target.of_field(group.subject.key, spec.name), difference

    def _must_be_read(self, fact: Fact | None) -> bool:
        """Report that all of a section is shown, so that nobody accepts what nobody has read."""
        return not self.only_changed or fact is None or fact.check is None or not fact.check.digest

    def _has_query(self, *holders: str) -> bool:
        return any(query.holder in holders for query in self.checklist.queries)

    @cached_property
    def share_classes(self) -> list[CaseEntry]:
        entries = []
        for group in self.readback.share_classes:
            token = group.subject.token
            rows = list(self._rows(token, token, group.lines))
            changes = if_any(sum(row.difference is not None for row in rows), "change")
            note = together("New", changes) if token in self.differences.added else changes
            entries.append(CaseEntry(f"class-{token}", group.title, rows, note))
        return entries

    @cached_property
    def share_changes(self) -> tuple[Difference, ...]:
        """Return the changes of the holdings."""
        section = self.draft.schema.share_section
        return self.differences.of(section.key) if section else ()

    @cached_property
    def shares(self) -> CaseEntry | None:
        """Return the entry of share classes and holdings, if they are asked; with `only_changed` if they changed or are
        not accepted."""
        section = self.draft.schema.share_section
        if section is None or not self.draft.holds_shares:
            return None
        target = Target(TargetKind.SECTION, section.key)
        holders = [section.key, *(row.token for row in self.draft.share_classes)]
        fact = self.checklist.at(target)
        panel = QueryPanel(self.panels, target)
        removed = [panel for holder in holders for panel in self._removed_panels[holder]]
        rows = [row for entry in self.share_classes for row in entry.rows]
        has_news = (
            bool(self.share_changes or removed or panel.open_queries)
            or not self.differences.added.isdisjoint(holders)
            or any(row.difference or row.panel.open_queries for row in rows)
        )
        if not has_news and not self._must_be_read(fact):
            return None
        status = FactStatus(fact, has_query=self._has_query(*holders)) if fact else None
        return CaseEntry("shares", "Shares", [], status=status, panel=panel, more=removed)

    @cached_property
    def parties(self) -> list[PartyLine]:
        """Return the parties; with `only_changed` those that changed or are not done."""
        return [line for line in self._party_lines if not (self.only_changed and line.is_left_out)]

    @property
    def hidden_parties(self) -> int:
        return len(self._party_lines) - len(self.parties)

    @cached_property
    def _party_lines(self) -> list[PartyLine]:
        lines = []
        for group in self.readback.parties:
            token = group.subject.token
            checklist = self.checklist.of_holder(token)
            assert checklist is not None  # every party has one
            lines.append(
                PartyLine(
                    group,
                    checklist=checklist,
                    changes=self.differences.of(token),
                    is_new=token in self.differences.added,
                    queries=sum(query.holder == token for query in self.checklist.queries),
                    url=party_url(self.draft.application.reference, token, self.queue_state),
                )
            )
        return lines

    @property
    def party_status(self) -> str:
        """Say how many checks of all parties are done."""
        parties = [holder for holder in self.checklist.holders if holder.token]
        checks = sum(len(holder.facts) for holder in parties)
        return f"{sum(holder.done for holder in parties)} of {numbered(checks, 'check')} done" if checks else ""

    @property
    def screening(self) -> list[tuple[str, int]]:
        """Return each required screening check that parties lack, and how many lack it."""
        return list(Counter(text for holder in self.checklist.holders for text in holder.screening).items())

    @cached_property
    def ownership(self) -> Ownership | None:
        return ownership(self.draft, self._allocation)

    @cached_property
    def _allocation(self) -> Allocation:
        return Allocation(self.draft)

    @cached_property
    def owners(self) -> list[tuple[PartyRow, str]] | None:
        """Return the final owners who reach the threshold of the jurisdiction, each with their part of all shares; None
        where shares are not kept here. Makes no query beside that of the ownership."""
        if not self.draft.holds_shares:
            return None
        allocation = self._allocation
        owners = []
        for party in self.draft.parties:
            if not party.is_owned and allocation.reaches_threshold(party):
                shares = allocation.final_shares.of(party.token)
                owners.append((party, allocation.share_percents.of(party.token, shares)))
        return owners

    @property
    def owner_changes(self) -> list[Difference]:
        return [change for change in self.differences.changes if change.name.startswith(OWNER_PREFIX)]

    @cached_property
    def _document_rows(self) -> list[DocumentRow]:
        """Return the documents that are asked for; with `only_changed` those that changed or are not done."""
        rows = []
        for line in self.readback.documents:
            holder = line.party.token if line.party else ""
            difference = self.differences.at(holder, line.slot)
            opened = opened_by(self.opened.names_of(line.document.pk)) if line.document else ""
            status = panel = None
            if line.party is None:
                # A party's documents are checked on its own page.
                target = Target.of_document("", line.slot)
                fact = self.checklist.at(target)
                status = FactStatus(fact) if fact else None
                panel = QueryPanel(self.panels, target)
            row = DocumentRow(line, difference, opened, status, panel)
            if not self.only_changed or row.mark in ("heed", "open", "changed"):
                rows.append(row)
        return rows

    @property
    def documents(self) -> list[DocumentRow]:
        """Return the entity's own documents, which are checked here, and those of parties that changed."""
        return [row for row in self._document_rows if row.line.party is None or row.mark]

    @property
    def party_documents(self) -> list[DocumentRow]:
        """Return the other documents of parties, which are checked on their pages."""
        return [row for row in self._document_rows if row.line.party is not None and not row.mark]

    @property
    def left(self) -> list[Fact]:
        """Return the facts that "Accept all remaining" takes: sections and documents on the page that are to be checked
        and that no query is open about."""
        if not self.can_check:
            return []
        shares = [self.shares] if self.shares else []
        entries: list[CaseEntry | DocumentRow] = [*self.sections, *shares, *self.documents]
        facts = [entry.status.fact for entry in entries if entry.status and not entry.status.has_query]
        return [fact for fact in facts if fact.state in (OPEN, CHANGED)]

    @cached_property
    def lost(self) -> list[QueryPanel]:
        """Return the queries and notes about targets that the application no longer has, outside of its sections."""
        return self._removed_panels[""]

    @cached_property
    def _removed_panels(self) -> defaultdict[str, list[QueryPanel]]:
        """Return the queries and notes whose targets the page does not show, by section or share class; under "" the
        others. Those about parties are on pages of their own."""
        holders = {group.subject.key for group in self.readback.sections}
        section = self.draft.schema.share_section
        if section is not None and self.draft.holds_shares:
            holders |= {section.key, *(row.token for row in self.draft.share_classes)}
        current = set(self._current_targets())
        panels: defaultdict[str, list[QueryPanel]] = defaultdict(list)
        for target in self.panels.targets:
            if target not in current and self.draft.party(target.holder) is None:
                is_within = target.holder in holders and target.kind is not TargetKind.APPLICATION
                panels[target.holder if is_within else ""].append(QueryPanel(self.panels, target))
        return panels

    def _current_targets(self) -> Iterator[Target]:
        """Yield the targets of the application, but for those of parties."""
        yield WHOLE_APPLICATION
        for group in self.readback.sections:
            key = group.subject.key
            yield Target(TargetKind.SECTION, key)
            yield from (Target.of_field(key, line.spec.name) for line in group.lines)
            yield from (target for target, _ in self._differences_not_asked(group))
        section = self.draft.schema.share_section
        if section is not None and self.draft.holds_shares:
            yield Target(TargetKind.SECTION, section.key)
            for class_group in self.readback.share_classes:
                token = class_group.subject.token
                yield from (Target.of_field(token, line.spec.name) for line in class_group.lines)
        for document in self.readback.documents:
            if document.party is None:
                yield Target.of_document("", document.slot)

    @cached_property
    def drafted(self) -> list[tuple[Query, str, str]]:
        """Return the queries that go out with the next return, each with its party's name and the URL to change it."""
        reference = self.draft.application.reference
        drafts = []
        for query in self.panels.all:
            if query.is_draft:
                target = query.target
                is_party = self.draft.party(target.holder) is not None and target.kind is not TargetKind.SECTION
                page = reverse("desk:party", args=[reference, target.holder]) if is_party else self.back
                drafts.append((query, holder_name(self.draft, target), f"{page}#{target_id(target)}"))
        return drafts

    @cached_property
    def deliveries(self) -> CaseDeliveries:
        return case_deliveries(self.draft)


def case_page(draft: Draft, *, reader: User, query: Mapping[str, str]) -> CasePage:
    """Read the page of a submitted application, which was loaded with its review; `query` is that of the address.

    Eight database queries more: queries to the customer, checks, notes, owners, history, deliveries, the service, and
    who has opened which documents.
    """
    application = draft.application
    queue_state = queue_shown(query)
    history = history_of(application)
    changes = differences(draft, history)
    address = case_url(application.reference, queue_state)
    only_changed = False
    back = address
    other_url = ""
    if changes:
        only_changed = query.get(CHANGED_PARAMETER, "1") != "0"
        back = _with_changed(address, only_changed)
        other_url = _with_changed(address, not only_changed)
    version = ReviewVersion.of_loaded(application)
    read_back = readback(draft)
    panels = QueryPanels(draft, reader=reader, back=back, version=version, lazily=True)
    lines = history_lines(application, history, panels.all)
    return CasePage(
        draft=draft,
        queue_state=queue_state,
        only_changed=only_changed,
        back=back,
        other_url=other_url,
        version=version,
        newest_history=lines[:_MAX_HISTORY_LINES],
        has_more_history=len(lines) > _MAX_HISTORY_LINES,
        differences=changes,
        readback=read_back,
        checklist=load_checklist(draft, read_back=read_back, queries=[row for row in panels.all if row.is_open]),
        panels=panels,
        can_check=can_review(draft, reader),
        has_documents=has_documents(getattr(application, "case", None), reader),
        opened=opened_documents(draft),
    )


def _with_changed(address: str, only_changed: bool) -> str:
    return f"{address}{'&' if '?' in address else '?'}{CHANGED_PARAMETER}={int(only_changed)}"
