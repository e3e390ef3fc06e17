"""An application as a printed record: plain text in reading order, for the typesetter to lay out.

Its content and order are those of the page of answers. Nothing here is mark-up, and nothing is read as such.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import get_language, gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import AnswerLine, DocumentLine, Readback, ShareTable, inactive_in, readback
from formation_portal.contract.inactive_answers import is_inactive
from formation_portal.contract.localisation import ngettext
from formation_portal.core.operator import operator
from formation_portal.reviews.decisions import registration_of

from . import formats
from .formats import PriceTable, application_price, foreign_language, schema_language
from .ownership import Ownership, ownership


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A question with its answer in words, if any. `is_schemas`: the term is a text of the schema."""

    term: str
    value: str = ""
    note: str = ""
    is_name: bool = False
    is_schemas: bool = False


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table of figures: the first column names the row, all others have numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedEntry:
    """An entry: a heading in the margin, and beside it rows, sentences or figures."""

    title: str
    note: str = ""
    is_name: bool = False
    # The title is a text of the schema.
    is_schemas: bool = False
    paragraphs: tuple[str, ...] = ()
    rows: tuple[PrintedRow, ...] = ()
    # The headings of the two columns of the rows.
    columns: tuple[str, ...] = ()
    tables: tuple[PrintedTable, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedRecord:
    language: str
    # The language of the schema, if it differs.
    schema_language: str
    title: str
    reference: str
    name: str
    caption: str
    lead: str
    words: dict[str, str]
    # The operator's name, and the contact for help.
    letterhead: tuple[str, str]
    entries: tuple[PrintedEntry, ...]
    # Lines about characters that could not be printed.
    warning: tuple[str, ...] = ()

    def with_codes(self, lost: frozenset[str], *, warning: str) -> "PrintedRecord":
        """Return the record with codes beside each text that has a character of `lost`, which no font has."""
        entries = []
        lines: dict[str, None] = {}
        for entry in self.entries:
            rows = []
            for row in entry.rows:
                rows.append(replace(row, note=_with_codes(row.note, f"{row.term}{row.value}", lost)))
                if codes := _codes(row.value, lost):
                    lines[f"{row.term}: {codes}"] = None
            entries.append(replace(entry, note=_with_codes(entry.note, entry.title, lost), rows=tuple(rows)))
        return replace(self, entries=tuple(entries), warning=(warning, *lines))


def _with_codes(note: str, text: str, lost: frozenset[str]) -> str:
    """Return the note with the codes of a text's lost characters behind it."""
    codes = _codes(text, lost)
    if not codes:
        return note
    return ". ".join(filter(None, (note.removesuffix("."), codes)))


def _codes(text: str, lost: frozenset[str]) -> str:
    return " ".join(f"U+{ord(character):04X}" for character in text if character in lost)


# More columns leave no room for numbers.
_CLASSES_ABREAST = 4


def printed_record(draft: Draft, *, made_at: datetime) -> PrintedRecord:
    """Write the application as a record; while it can be changed, with its needs and its inactive answers."""
    application = draft.application
    return PrintedRecord(
        language=get_language() or "en",
        schema_language=schema_language(),
        title=gettext("Record of %(name)s, %(reference)s") % {"name": draft.title, "reference": application.reference},
        reference=application.reference,
        name=draft.title,
        caption=", ".join(part for part in (application.product_name, application.jurisdiction_name) if part),
        lead=_lead(draft),
        words={
            "page": gettext("Page %(number)s of %(total)s") % {"number": "{number}", "total": "{total}"},
            "nothing": gettext("Not provided"),
        },
        letterhead=(operator.name, operator.contact),
        entries=tuple(_entries(draft, made_at)),
    )


def _lead(draft: Draft) -> str:
    application = draft.application
    if application.submitted_at is None:
        return gettext("Draft. Not submitted yet.")
    if application.is_open:
        return gettext("Returned for changes. These are the current answers, not the ones submitted.")
    return gettext("The answers as they were submitted.")


def _entries(draft: Draft, made_at: datetime) -> Iterator[PrintedEntry]:
    application = draft.application
    answers = readback(draft)
    yield _facts(draft, made_at)
    if application.is_open and draft.needs:
        note = ngettext("{count} item", "{count} items", len(draft.needs))
        yield PrintedEntry(gettext("To complete"), note, paragraphs=tuple(need.text for need in draft.needs))
    tree = ownership(draft)
    yield from _answers(draft, answers, tree)
    if answers.shares:
        yield PrintedEntry(gettext("Shares"), gettext("By shareholder"), tables=_share_tables(answers.shares))
    if tree:
        yield _ownership(tree)
    if answers.documents:
        rows = tuple(_document(draft, line) for line in answers.documents)
        yield PrintedEntry(gettext("Documents"), rows=rows, columns=(gettext("Document"), gettext("File")))
    price = application_price(application)
    if price.is_given:
        table = PriceTable(price)
        yield PrintedEntry(gettext("Price"), tables=(PrintedTable(table.columns, table.rows),))
    inactive = inactive_in(draft)
    if inactive.rows and application.is_open:
        rows = tuple(PrintedRow(row.term, row.value, row.note) for row in inactive.rows)
        yield PrintedEntry(gettext("No longer needed, not sent"), inactive.counts, rows=rows, columns=_columns())
    if application.declaration and application.submitted_at:
        by = application.submitted_by
        signed = gettext("Declared by %(name)s on %(when)s.") % {
            "name": by.called if by else gettext("someone whose account was deleted"),
            "when": formats.zoned_date_and_time(application.submitted_at),
        }
        yield PrintedEntry(gettext("Declaration"), paragraphs=(application.declaration, signed))


def _share_tables(shares: ShareTable) -> tuple[PrintedTable, ...]:
    tables: list[PrintedTable] = []
    for start in range(0, len(shares.classes), _CLASSES_ABREAST):
        part = slice(start, start + _CLASSES_ABREAST)
        columns = (gettext("Shareholder"), *shares.classes[part])
        rows = []
        for holder, cells in (*shares.rows, *shares.folded):
            rows.append((holder, *(number for _, number in cells[part])))
        total = (gettext("Allocated"), *(number for _, number in shares.totals[part]))
        tables.append(PrintedTable(columns, tuple(rows), total=total))
    return tuple(tables)


def _facts(draft: Draft, made_at: datetime) -> PrintedEntry:
    application, schema = draft.application, draft.schema
    facts = [
        PrintedRow(gettext("Reference"), application.reference),
        PrintedRow(gettext("Company type"), application.product_name),
        PrintedRow(gettext("Jurisdiction"), application.jurisdiction_name, is_name=True),
        PrintedRow(gettext("Status"), application.status.words),
    ]
    if application.submitted_at:
        facts.append(PrintedRow(gettext("Submitted"), formats.zoned_date_and_time(application.submitted_at)))
    if application.submitted_by:
        facts.append(PrintedRow(gettext("Submitted by"), application.submitted_by.called, is_name=True))
    if entry := registration_of(application):
        facts.append(PrintedRow(gettext("Registration number"), entry.number))
        if entry.day:
            facts.append(PrintedRow(gettext("Registered on"), formats.day(entry.day)))
    form = ", ".join(filter(None, (schema.form_name, schema.version)))
    facts.append(PrintedRow(gettext("Form and version"), form))
    facts.append(PrintedRow(gettext("Copy made"), formats.zoned_date_and_time(made_at)))
    rows = tuple(fact for fact in facts if fact.value)
    return PrintedEntry(gettext("Application"), rows=rows, columns=(gettext("Item"), gettext("Detail")))


def _answers(draft: Draft, answers: Readback, tree: Ownership | None) -> Iterator[PrintedEntry]:
    for section in answers.sections:
        is_foreign = bool(foreign_language(section.title, section.subject))
        yield PrintedEntry(section.title, is_schemas=is_foreign, rows=_rows(section.lines), columns=_columns())
    for party in answers.parties:
        if not is_inactive(draft.form_state, party.subject.record) and not (tree and tree.covers(party.subject)):
            yield PrintedEntry(party.title, party.note, True, rows=_rows(party.lines), columns=_columns())
    for share in answers.share_classes:
        yield PrintedEntry(share.title, share.note, True, rows=_rows(share.lines), columns=_columns())


def _columns() -> tuple[str, str]:
    return gettext("Question"), gettext("Answer")


def _rows(lines: Iterable[AnswerLine]) -> tuple[PrintedRow, ...]:
    rows: list[PrintedRow] = []
    for line in lines:
        note = line.objection
        if line.spec.provided_by_agent:
            note = gettext("Provided by your registered agent")
        elif line.is_unreadable:
            note = gettext("We can’t read this")
        is_name = line.is_name and not line.is_unreadable
        rows.append(PrintedRow(line.spec.label, line.value, note, is_name, line.spec.has_own_words))
    return tuple(rows)


def _ownership(tree: Ownership) -> PrintedEntry:
    """Write a row for each holder or owner, with its depth as dashes."""
    heads = [gettext("Shareholder"), gettext("Shares")]
    if tree.has_votes:
        heads.append(gettext("Votes"))
    rows: list[tuple[str, ...]] = []
    for depth, node in tree.lines():
        text = "\n".join(filter(None, (f"{'– ' * depth}{node.name}", node.note, node.end, node.rest)))
        rows.append((text, node.of_shares, node.of_votes)[: len(heads)])
    note = gettext("Ownership structure")
    return PrintedEntry(gettext("Ultimate ownership"), note, tables=(PrintedTable(tuple(heads), tuple(rows)),))


def _document(draft: Draft, line: DocumentLine) -> PrintedRow:
    term = f"{line.words}, {line.party.label if line.party else draft.title}"
    document = line.document
    if document is None:
        return PrintedRow(term, note="" if line.is_required else gettext("Optional"))
    facts = f"{formats.file_size(document.size)}, {formats.zoned_date_and_time(document.uploaded_at)}"
    return PrintedRow(term, document.name, f"{facts}. SHA-256 {document.sha256}")
