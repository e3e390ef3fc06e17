"""The answers, shares, parties and documents of a case as rows, with the state of their checks and what changed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.urls import reverse

from formation_portal.applications.documents import findings_of
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.applications.readback import AnswerGroup, AnswerLine, DocumentLine, ShareTable
from formation_portal.contract.schema import Section
from formation_portal.reviews.checklist import Fact
from formation_portal.reviews.targets import Target, TargetKind

from ..case_urls import party_url
from ..documents import opened_by
from ..wording import if_any, together
from .differences import Difference
from .query_panels import QueryPanel
from .reading import CaseReading, FactStatus


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer, as desk/case/_row.html draws it; with a difference the old one stands beside it."""

    term: str
    value: str
    is_name: bool
    note: str
    mark: str
    difference: Difference | None
    panel: QueryPanel


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """Answers under one heading in the margin. `hidden` is how many are as they were, and left out; `more` is what was
    said about answers that are no longer there."""

    id: str
    title: str
    is_name: bool
    note: str
    rows: tuple[AnswerRow, ...]
    hidden: int = 0
    standing: FactStatus | None = None
    panel: QueryPanel | None = None
    more: tuple[QueryPanel, ...] = ()


@dataclass(frozen=True, slots=True)
class ShareEntry:
    """The share section: its classes, who holds how many, and what changed of that."""

    classes: tuple[CaseEntry, ...]
    table: ShareTable | None
    changes: tuple[Difference, ...]
    standing: FactStatus | None
    panel: QueryPanel
    more: tuple[QueryPanel, ...]


def sections_of(reading: CaseReading) -> tuple[CaseEntry, ...]:
    """Every section about the entity; where only what changed is asked for, those with something of it."""
    return tuple(entry for entry in (_section(reading, one) for one in reading.readback.sections) if entry is not None)


def _section(reading: CaseReading, read_back: AnswerGroup[Section]) -> CaseEntry | None:
    key = read_back.subject.key
    target = Target(TargetKind.SECTION, key)
    fact = reading.facts.at(target)
    rows = (*_rows(reading, key, "", read_back.lines), *_no_longer_asked(reading, read_back))
    changed, panel = sum(row.difference is not None for row in rows), reading.panel(target)
    more = reading.panels_not_shown(key)
    if _is_to_be_read(reading, fact):
        shown = rows
    else:
        shown = tuple(row for row in rows if row.difference or row.panel.open_queries)
        if not shown and not panel.open_queries and not more:
            return None
    return CaseEntry(
        id=f"section-{key}",
        title=read_back.title,
        is_name=False,
        note=f"{changed} changed" if changed else "",
        rows=shown,
        hidden=len(rows) - len(shown),
        standing=reading.status_of(fact, questions=reading.open_queries_of(key)) if fact else None,
        panel=panel,
        more=more,
    )


def _is_to_be_read(reading: CaseReading, fact: Fact | None) -> bool:
    """Whether all of it is shown: nobody should accept what nobody has read."""
    return not reading.only_changed or fact is None or fact.check is None or not fact.check.digest


def _rows(reading: CaseReading, holder: str, changes_of: str, lines: Iterable[AnswerLine]) -> Iterator[AnswerRow]:
    for line in lines:
        target = Target.of_field(holder, line.spec.name)
        changed = reading.differences.at(changes_of, line.spec.name)
        yield _row(line, changed, reading.panel(target))


def _row(line: AnswerLine, changed: Difference | None, panel: QueryPanel) -> AnswerRow:
    note = "Provided by the registered agent" if line.is_given else "Unreadable" if line.is_unreadable else ""
    mark = "stop" if line.is_unreadable else "changed" if changed else "heed" if panel.open_queries else ""
    return AnswerRow(line.spec.label, line.value, line.is_name, note, mark, changed, panel)


def _no_longer_asked(reading: CaseReading, read_back: AnswerGroup[Section]) -> Iterator[AnswerRow]:
    """What was answered before and is not asked any more, since another answer has changed."""
    shown = {line.spec.name for line in read_back.lines}
    for spec in read_back.subject.fields:
        changed = reading.differences.at("", spec.name)
        if changed is not None and spec.name not in shown:
            panel = reading.panel(Target.of_field(read_back.subject.key, spec.name))
            yield AnswerRow(changed.label, changed.after, False, "No longer asked", "changed", changed, panel)


def shares_of(reading: CaseReading) -> ShareEntry | None:
    """Classes and holdings, as far as they are asked for; where only what changed is asked for, if they did."""
    section = reading.draft.schema.share_section
    if section is None or not reading.draft.holds_shares:
        return None
    target = Target(TargetKind.SECTION, section.key)
    classes = tuple(_share_class(reading, one) for one in reading.readback.share_classes)
    fact, changes = reading.facts.at(target), reading.differences.of(section.key)
    tokens = [one.token for one in reading.draft.share_classes]
    more = tuple(panel for holder in (section.key, *tokens) for panel in reading.panels_not_shown(holder))
    panel = reading.panel(target)
    has_news = changes or more or panel.open_queries or any(_has_news(reading, one) for one in classes)
    if not (has_news or _is_to_be_read(reading, fact)):
        return None
    asked = (
        *reading.open_queries_of(section.key),
        *(one for token in tokens for one in reading.open_queries_of(token)),
    )
    standing = reading.status_of(fact, questions=asked) if fact else None
    return ShareEntry(classes, reading.readback.shares, changes, standing, panel, more)


def _share_class(reading: CaseReading, read_back: AnswerGroup[ShareClassRow]) -> CaseEntry:
    row = read_back.subject
    rows = tuple(_rows(reading, row.token, row.token, read_back.lines))
    changed = sum(one.difference is not None for one in rows)
    is_new = row.token in reading.differences.added
    note = together("New", if_any(changed, "change")) if is_new else if_any(changed, "change")
    return CaseEntry(f"class-{row.token}", row.label, True, note, rows)


def _has_news(reading: CaseReading, entry: CaseEntry) -> bool:
    is_new = entry.id.removeprefix("class-") in reading.differences.added
    return is_new or any(row.difference or row.panel.open_queries for row in entry.rows)


@dataclass(frozen=True, slots=True)
class PartyLine:
    """One party: its roles, what changed, and how many of its checks are done; the page where they are made."""

    id: str
    name: str
    url: str
    mark: str
    note: str
    status: str


@dataclass(frozen=True, slots=True)
class Parties:
    """Those that are shown, how many are left out as they were, who is gone, and how far all checks are."""

    rows: tuple[PartyLine, ...]
    hidden: int
    removed: tuple[str, ...]
    status: str


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document that is asked for; without an address it is missing. One of the entity's own is checked here."""

    slot: str
    holder: str
    is_required: bool
    name: str = ""
    url: str = ""
    # Where it is looked at; nothing where it can't be shown.
    page_url: str = ""
    mime_type: str = ""
    size: int = 0
    sha256: str = ""
    # Who has opened it.
    seen: str = ""
    mark: str = ""
    difference: Difference | None = None
    standing: FactStatus | None = None
    panel: QueryPanel | None = None


def parties_of(reading: CaseReading) -> Parties:
    """Every party; where only what changed is asked for, those that changed or are not done."""
    lines = [(_party_line(reading, one), _is_left_out(reading, one)) for one in reading.readback.parties]
    sheets = [sheet for sheet in reading.facts.holders if sheet.token]
    done, there_are = sum(sheet.done for sheet in sheets), sum(len(sheet.facts) for sheet in sheets)
    return Parties(
        rows=tuple(line for line, is_left_out in lines if not is_left_out),
        hidden=sum(is_left_out for _, is_left_out in lines),
        removed=reading.differences.removed,
        status=f"{done} of {if_any(there_are, 'check')} done" if there_are else "",
    )


def _is_left_out(reading: CaseReading, read_back: AnswerGroup[PartyRow]) -> bool:
    sheet = reading.facts.of_holder(read_back.subject.token)
    has_news = read_back.subject.token in reading.differences.added or reading.differences.of(read_back.subject.token)
    is_done = sheet is None or sheet.is_done
    return reading.only_changed and is_done and not has_news and not reading.open_queries_of(read_back.subject.token)


def _party_line(reading: CaseReading, read_back: AnswerGroup[PartyRow]) -> PartyLine:
    token, sheet = read_back.subject.token, reading.facts.of_holder(read_back.subject.token)
    changes, questions = reading.differences.of(token), len(reading.open_queries_of(token))
    done, there_are = (sheet.done, len(sheet.facts)) if sheet else (0, 0)
    is_new = token in reading.differences.added
    news = "New since the last return" if is_new else _changed(changes)
    mark = "heed" if questions else "met" if done == there_are else "changed" if changes or is_new else ""
    parts = (f"{done} of {if_any(there_are, 'check')}", if_any(questions, "query", "queries"))
    status = ", ".join(filter(None, parts))
    return PartyLine(
        id=f"party-{token}",
        name=read_back.title,
        url=party_url(reading.draft.application.reference, token, reading.shown),
        mark=mark or ("half" if done else "open"),
        note=". ".join(one for one in (read_back.note, news) if one),
        status=status,
    )


def _changed(changes: tuple[Difference, ...]) -> str:
    documents = sum(one.is_document for one in changes)
    said = together(if_any(len(changes) - documents, "answer"), if_any(documents, "document"))
    return f"{said} changed" if said else ""


def documents_of(reading: CaseReading) -> tuple[DocumentRow, ...]:
    """Every document that is asked for; where only what changed is asked for, those that did, or are asked about."""
    rows = tuple(_documents(reading))
    if not reading.only_changed:
        return rows
    return tuple(row for row in rows if row.difference or row.mark in ("heed", "open", "changed"))


def _documents(reading: CaseReading) -> Iterator[DocumentRow]:
    for line in reading.readback.documents:
        holder = line.party.token if line.party else ""
        target, changed = Target.of_document(holder, line.slot), reading.differences.at(holder, line.slot)
        fact = reading.facts.at(target)
        standing = reading.status_of(fact) if fact else None
        row = replace(_document(reading, line), mark="changed" if changed else "", difference=changed)
        if line.party is None:
            # Checked here; a party's are checked on its own page.
            mark = row.mark or (standing.mark if standing else "")
            row = replace(row, mark=mark, standing=standing, panel=reading.panel(target))
        yield row


def _document(reading: CaseReading, line: DocumentLine) -> DocumentRow:
    row = DocumentRow(line.slot, line.party.label if line.party else "", line.is_required)
    document = line.document
    if document is None:
        return row
    named = [reading.draft.application.reference, document.pk]
    return replace(
        row,
        name=document.name,
        url=reverse("desk:document", args=named),
        page_url=reverse("desk:document_page", args=[*named, 1]) if findings_of(document).can_be_shown else "",
        mime_type=document.mime_type,
        size=document.size,
        sha256=document.sha256,
        seen=opened_by(reading.seen.names_of(document.pk)),
    )
