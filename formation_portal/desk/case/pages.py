"""Show a submitted application for review, with the changes since the last return, queries and notes."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import OWNER_PREFIX
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.applications.readback import AnswerGroup, AnswerLine, readback
from formation_portal.contract.schema import Section
from formation_portal.reviews.checklist import CHANGED, OPEN, Fact, load_checklist
from formation_portal.reviews.checks import OpenedDocuments, opened_documents
from formation_portal.reviews.decisions import registration_of
from formation_portal.reviews.models import MAX_TEXT, Query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind, holder_name
from formation_portal.reviews.transactions import ReviewVersion
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.ownership import ownership
from formation_portal.ui.standing_advice import standing_advice

from ..case_access import has_documents
from ..case_urls import case_url, party_url, queue_shown
from ..delivery_status import CaseDeliveries
from ..documents import opened_by
from ..lookups import can_review
from ..models import Case
from ..service_status.pages import service_status_card
from ..wording import WAITING_FOR_PAYMENT, if_any, numbered, ordinal, state_words, together
from .entries import AnswerRow, CaseEntry, DocumentRow, FactStatus, PartyLine
from .history import Difference, changed_words, differences, history_lines, history_of
from .query_panels import QueryPanel, QueryPanels, target_id

# In a URL: whether to show only changes, which is the default after a return.
CHANGED_PARAMETER = "changed"
# Only the audit log has the whole history.
_MAX_HISTORY_LINES = 14


class CasePage:
    """A submitted application, loaded with its review, as one reader sees it; `query` is the query of the URL.

    `queue_state` is the state of the queue that the reader came from. `only_changed` hides parts that have not changed
    since the last return; `other_url` shows all parts, or only changes. Eight database queries.
    """

    note_limit = MAX_TEXT

    def __init__(self, draft: Draft, *, reader: User, query: Mapping[str, str]) -> None:
        application = draft.application
        case: Case = application.case
        self.draft = draft
        self.version = ReviewVersion.of_loaded(application)
        self.can_check = can_review(draft, reader)
        self.has_documents = has_documents(case, reader)
        history = history_of(application)
        self.differences = differences(draft, history)
        self.queue_state = queue_shown(query)
        self.back = case_url(application.reference, self.queue_state)
        self.only_changed = False
        self.other_url = ""
        if self.differences:
            address = self.back + ("&" if "?" in self.back else "?")
            self.only_changed = query.get(CHANGED_PARAMETER, "1") != "0"
            self.back = f"{address}{CHANGED_PARAMETER}={int(self.only_changed)}"
            self.other_url = f"{address}{CHANGED_PARAMETER}={int(not self.only_changed)}"
        self.panels = QueryPanels(draft, reader=reader, back=self.back, version=self.version, lazily=True)
        # Time, author and text; newest first.
        history_rows = history_lines(application, history, self.panels.all)
        self.newest_history = history_rows[:_MAX_HISTORY_LINES]
        self.has_more_history = len(history_rows) > _MAX_HISTORY_LINES
        self.readback = readback(draft)
        open_queries = [row for row in self.panels.all if row.is_open]
        self.checklist = load_checklist(draft, read_back=self.readback, queries=open_queries)
        self.deliveries = CaseDeliveries(draft)
        self.registration = registration_of(application)
        self.service_status: dict[str, Any] | None = None
        if case.service_status:
            self.service_status = service_status_card(draft, version=self.version)
        self._set_entries()
        self._set_parties()
        self._set_documents(opened_documents(draft))
        self._set_owners()

    def _set_entries(self) -> None:
        """Set the entries of sections and shares, and the queries and notes about targets without an entry."""
        draft = self.draft
        share_section = draft.form_state.active_share_section
        rows = {}
        for group in self.readback.sections:
            rows[group.subject.key] = [*self._rows(group.subject.key, group.lines), *self._no_longer_asked(group)]
        self.share_classes = [self._share_class(group) for group in self.readback.share_classes]
        self.whole = QueryPanel(self.panels, WHOLE_APPLICATION)
        targets = {WHOLE_APPLICATION}
        for key, answers in rows.items():
            targets.add(Target(TargetKind.SECTION, key))
            targets.update(row.panel.target for row in answers)
        for entry in self.share_classes:
            targets.update(row.panel.target for row in entry.rows)
        if share_section:
            targets.add(Target(TargetKind.SECTION, share_section.key))
        for line in self.readback.documents:
            if line.party is None:
                targets.add(Target.of_document("", line.slot))
        removed = self._removed_panels(targets)
        self.sections = []
        for group in self.readback.sections:
            key = group.subject.key
            section = self._section(group, rows[key], removed.pop(key, []))
            if section:
                self.sections.append(section)
        self.shares: CaseEntry | None = None
        self.share_changes: tuple[Difference, ...] = ()
        if share_section:
            holders = [share_section.key, *(row.token for row in draft.share_classes)]
            self.share_changes = self.differences.of(share_section.key)
            removed_from_shares = []
            for holder in holders:
                removed_from_shares += removed.pop(holder, [])
            self.shares = self._shares(holders, removed_from_shares)
        # Outside of all sections.
        self.lost = list(chain.from_iterable(removed.values()))

    def _removed_panels(self, current: Collection[Target]) -> dict[str, list[QueryPanel]]:
        """Return the queries and notes about targets not in `current`, by holder; skip the targets of parties."""
        removed = defaultdict(list)
        for target in dict.fromkeys((*self.panels.queries_by_target, *self.panels.notes_by_target)):
            if target not in current and self.draft.party(target.holder) is None:
                removed[target.holder].append(QueryPanel(self.panels, target))
        return removed

    def _rows(self, holder: str, lines: Iterable[AnswerLine], *, changes_of: str = "") -> Iterator[AnswerRow]:
        for line in lines:
            difference = self.differences.at(changes_of, line.spec.name)
            panel = QueryPanel(self.panels, Target.of_field(holder, line.spec.name))
            if line.is_unreadable:
                note = "Unreadable"
            elif line.spec.provided_by_agent:
                note = "Provided by the registered agent"
            else:
                note = line.objection or line.advice
            mark = ""
            if line.is_unreadable or line.objection:
                mark = "error"
            elif difference:
                mark = "changed"
            elif panel.open_queries:
                mark = "warning"
            yield AnswerRow(line.spec.label, line.value, line.is_name, note, mark, difference, panel)

    def _no_longer_asked(self, group: AnswerGroup[Section]) -> Iterator[AnswerRow]:
        """Yield the answers whose questions are no longer asked after a change."""
        asked_names = {line.spec.name for line in group.lines}
        for spec in group.subject.fields:
            difference = self.differences.at("", spec.name)
            if difference is not None and spec.name not in asked_names:
                panel = QueryPanel(self.panels, Target.of_field(group.subject.key, spec.name))
                note = "No longer asked"
                yield AnswerRow(difference.label, difference.after, False, note, "changed", difference, panel)

    def _section(
        self, group: AnswerGroup[Section], rows: list[AnswerRow], removed: list[QueryPanel]
    ) -> CaseEntry | None:
        """Return the entry of a section; None if `only_changed`, and the section is accepted and unchanged."""
        key = group.subject.key
        target = Target(TargetKind.SECTION, key)
        status = self._status(target, [key])
        panel = QueryPanel(self.panels, target)
        visible = rows
        if not self._must_be_read(status):
            visible = [row for row in rows if row.difference or row.panel.open_queries]
            if not (visible or panel.open_queries or removed):
                return None
        changed = _count_changed(rows)
        return CaseEntry(
            id=f"section-{key}",
            title=group.title,
            rows=visible,
            note=f"{changed} changed" if changed else "",
            hidden=len(rows) - len(visible),
            status=status,
            panel=panel,
            more=removed,
        )

    def _share_class(self, group: AnswerGroup[ShareClassRow]) -> CaseEntry:
        token = group.subject.token
        rows = list(self._rows(token, group.lines, changes_of=token))
        note = if_any(_count_changed(rows), "change")
        if token in self.differences.added:
            note = together("New", note)
        return CaseEntry(f"class-{token}", group.title, rows, note)

    def _shares(self, holders: list[str], removed: list[QueryPanel]) -> CaseEntry | None:
        """Return the entry of share classes and holdings; None under the conditions of `_section`."""
        target = Target(TargetKind.SECTION, holders[0])
        status = self._status(target, holders)
        panel = QueryPanel(self.panels, target)
        has_news = bool(self.share_changes or removed or panel.open_queries)
        if not self.differences.added.isdisjoint(holders):
            has_news = True
        for entry in self.share_classes:
            if any(row.difference or row.panel.open_queries for row in entry.rows):
                has_news = True
        if not has_news and not self._must_be_read(status):
            return None
        return CaseEntry("shares", "Shares", [], status=status, panel=panel, more=removed)

    def _status(self, target: Target, holders: Collection[str]) -> FactStatus | None:
        fact = self.checklist.at(target)
        if fact is None:
            return None
        return FactStatus(fact, has_query=any(query.holder in holders for query in self.checklist.queries))

    def _must_be_read(self, status: FactStatus | None) -> bool:
        """Tell whether to show a whole section: not if only changes are shown and the section was accepted before."""
        return not (self.only_changed and status and status.fact.check and status.fact.check.digest)

    def _set_parties(self) -> None:
        """Set the parties; if `only_changed`, the changed or unfinished parties."""
        self.parties = []
        self.hidden_parties = 0
        for group in self.readback.parties:
            token = group.subject.token
            checklist = self.checklist.of_holder(token)
            assert checklist is not None  # every party has one
            line = PartyLine(
                group,
                checklist=checklist,
                changes=self.differences.of(token),
                is_new=token in self.differences.added,
                queries=sum(query.holder == token for query in self.checklist.queries),
                url=party_url(self.draft.application.reference, token, self.queue_state),
            )
            if self.only_changed and checklist.is_done and not (line.changes or line.is_new or line.queries):
                self.hidden_parties += 1
            else:
                self.parties.append(line)

    def _set_documents(self, opened: OpenedDocuments) -> None:
        """Set the required documents; if `only_changed`, the changed or unfinished documents.

        Unchanged documents of parties are separate, since the parties' pages check them.
        """
        self.documents = []
        self.party_documents = []
        for line in self.readback.documents:
            seen = ""
            if line.document:
                seen = opened_by(opened.names_of(line.document.pk))
            if line.party:
                row = DocumentRow(line, self.differences.at(line.party.token, line.slot), seen)
            else:
                difference = self.differences.at("", line.slot)
                target = Target.of_document("", line.slot)
                status = self._status(target, ())
                row = DocumentRow(line, difference, seen, status, QueryPanel(self.panels, target))
            if self.only_changed and row.mark not in ("warning", "open", "changed"):
                continue
            if line.party and not row.mark:
                self.party_documents.append(row)
            else:
                self.documents.append(row)

    def _set_owners(self) -> None:
        """Set the ownership chart, and the final owners who reach the threshold (None without shares)."""
        allocation = Allocation(self.draft)
        self.ownership = ownership(self.draft, allocation)
        self.advice = standing_advice(self.draft, allocation)
        self.owner_changes = [change for change in self.differences.changes if change.name.startswith(OWNER_PREFIX)]
        self.owners: list[tuple[PartyRow, str]] | None = None
        if self.draft.holds_shares:
            self.owners = []
            for party in self.draft.parties:
                if not party.is_owned and allocation.reaches_threshold(party):
                    shares = allocation.final_shares.of(party.token)
                    self.owners.append((party, allocation.share_percents.of(party.token, shares)))

    @property
    def status(self) -> str:
        if self.draft.application.payment_due_since is not None:
            return WAITING_FOR_PAYMENT
        return state_words(self.draft.application.status)

    @property
    def resubmission(self) -> str:
        number = self.draft.application.submissions
        return f"{ordinal(number)} submission" if number > 1 else ""

    @property
    def news(self) -> str:
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

    @property
    def party_status(self) -> str:
        done = 0
        checks = 0
        for holder in self.checklist.holders:
            if holder.token:
                done += holder.done
                checks += len(holder.facts)
        if not checks:
            return ""
        return f"{done} of {numbered(checks, 'check')} done"

    @property
    def screening(self) -> list[tuple[str, int]]:
        """Return each missing screening check, and how many parties lack the check."""
        return list(Counter(chain.from_iterable(holder.screening for holder in self.checklist.holders)).items())

    @cached_property
    def left(self) -> list[Fact]:
        """Return the facts that "Accept all remaining" accepts: facts on the page without an open query."""
        if not self.can_check:
            return []
        entries: list[CaseEntry | DocumentRow] = [*self.sections]
        if self.shares:
            entries.append(self.shares)
        entries += self.documents
        facts = []
        for entry in entries:
            status = entry.status
            if status and not status.has_query and status.fact.state in (OPEN, CHANGED):
                facts.append(status.fact)
        return facts

    @cached_property
    def drafted(self) -> list[tuple[Query, str, str]]:
        drafts = []
        for query in self.checklist.drafted:
            target = query.target
            page = self.back
            if self.draft.party(target.holder) is not None and target.kind is not TargetKind.SECTION:
                page = party_url(self.draft.application.reference, target.holder)
            drafts.append((query, holder_name(self.draft, target), f"{page}#{target_id(target)}"))
        return drafts


def _count_changed(rows: Iterable[AnswerRow]) -> int:
    return sum(row.difference is not None for row in rows)
