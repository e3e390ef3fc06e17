"""An application as a printed record: the same content as its page of answers, in the same order."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.utils.translation import get_language, gettext, ngettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.inactive_answers import inactive_in
from formation_portal.applications.readback import AnswerLine, DocumentLine, Readback, ShareTable, readback
from formation_portal.portal.price import price_table
from formation_portal.reviews.rulings import registration_of

from . import moments
from .aside_entry import aside_entry
from .ownership import Ownership, ownership
from .price import price_of
from .printed import PrintedEntry, PrintedRecord, PrintedRow, PrintedTable
from .schema_language import schema_language
from .share_tree import Node

# More columns than these and a number no longer fits into its own.
_CLASSES_ABREAST = 4


def printed_record(draft: Draft, *, made_at: datetime) -> PrintedRecord:
    """The whole application; while it can be changed also what is still needed and what is set aside."""
    application = draft.application
    return PrintedRecord(
        language=get_language() or "en",
        schema_language=schema_language(),
        title=gettext("Record of %(name)s, %(reference)s") % {"name": draft.title, "reference": application.reference},
        reference=application.reference,
        name=draft.title,
        caption=", ".join(part for part in (application.product_name, application.jurisdiction_name) if part),
        lead=_lead(draft),
        words=_words(),
        entries=tuple(_entries(draft, made_at)),
    )


def _words() -> dict[str, str]:
    return {
        "page": gettext("Page %(number)s of %(total)s") % {"number": "{number}", "total": "{total}"},
        "nothing": gettext("Not provided"),
    }


def _lead(draft: Draft) -> str:
    application = draft.application
    if application.submitted_at is None:
        return gettext("Draft. Not submitted yet.")
    if application.is_open:
        return gettext("Returned for changes. These are the current answers, not the ones submitted.")
    return gettext("The answers as they were submitted.")


def _entries(draft: Draft, made_at: datetime) -> Iterator[PrintedEntry]:
    told = readback(draft)
    yield _facts(draft, made_at)
    yield from _needs(draft)
    behind = ownership(draft)
    yield from _answers(draft, told, behind)
    if told.shares:
        yield _shares(told.shares)
    if behind:
        yield _ownership(behind)
    if told.documents:
        rows = tuple(_document(draft, line) for line in told.documents)
        yield PrintedEntry(gettext("Documents"), rows=rows, columns=(gettext("Document"), gettext("File")))
    yield from _price(draft)
    yield from _aside(draft)
    yield from _declaration(draft)


def _facts(draft: Draft, made_at: datetime) -> PrintedEntry:
    application, schema = draft.application, draft.schema
    by = application.submitted_by
    entry = registration_of(application)
    form = f"{schema.form_name}, {schema.version}" if schema.version else schema.form_name
    facts = (
        PrintedRow(gettext("Reference"), application.reference),
        PrintedRow(gettext("Company type"), application.product_name),
        PrintedRow(gettext("Jurisdiction"), application.jurisdiction_name, is_name=True),
        PrintedRow(gettext("Status"), application.status.words),
        PrintedRow(gettext("Submitted"), moments.full(application.submitted_at) if application.submitted_at else ""),
        PrintedRow(gettext("Submitted by"), by.called if by else "", is_name=True),
        PrintedRow(gettext("Registration number"), entry.number if entry else ""),
        PrintedRow(gettext("Registered on"), moments.day(entry.day) if entry else ""),
        PrintedRow(gettext("Form and version"), form),
        PrintedRow(gettext("Copy made"), moments.full(made_at)),
    )
    rows = tuple(fact for fact in facts if fact.value)
    return PrintedEntry(gettext("Application"), rows=rows, columns=(gettext("Item"), gettext("Detail")))


def _needs(draft: Draft) -> Iterator[PrintedEntry]:
    if draft.application.is_open and draft.needs:
        count = len(draft.needs)
        note = ngettext("%(count)d item", "%(count)d items", count) % {"count": count}
        yield PrintedEntry(gettext("To complete"), note, paragraphs=tuple(need.text for need in draft.needs))


def _answers(draft: Draft, told: Readback, behind: Ownership | None) -> Iterator[PrintedEntry]:
    not_sent = {one.party.token for one in inactive_in(draft).parties}
    for section in told.sections:
        yield PrintedEntry(section.section.title, is_schemas=True, rows=_rows(section.lines), columns=_columns())
    for one in told.parties:
        if one.party.token not in not_sent and not (behind and behind.tells_all_of(one.party)):
            roles = ", ".join(one.roles)
            yield PrintedEntry(
                one.party.label, roles[:1].upper() + roles[1:], True, rows=_rows(one.lines), columns=_columns()
            )
    for share in told.share_classes:
        note, rows = gettext("Share class"), _rows(share.lines)
        yield PrintedEntry(share.share_class.label, note, True, rows=rows, columns=_columns())


def _columns() -> tuple[str, str]:
    return gettext("Question"), gettext("Answer")


def _rows(lines: Iterable[AnswerLine]) -> tuple[PrintedRow, ...]:
    return tuple(
        PrintedRow(
            line.spec.label, line.value, _note(line), line.is_name and not line.is_unreadable, line.spec.has_own_words
        )
        for line in lines
    )


def _note(line: AnswerLine) -> str:
    if line.is_given:
        return gettext("Provided by your registered agent")
    return gettext("We can’t read this") if line.is_unreadable else ""


def _shares(table: ShareTable) -> PrintedEntry:
    """The grid in parts that fit the page's width, each with the holders again."""
    parts = tuple(_share_part(table, start) for start in range(0, len(table.classes), _CLASSES_ABREAST))
    return PrintedEntry(gettext("Shares"), gettext("By shareholder"), tables=parts)


def _share_part(table: ShareTable, start: int) -> PrintedTable:
    part = slice(start, start + _CLASSES_ABREAST)
    return PrintedTable(
        columns=(gettext("Shareholder"), *table.classes[part]),
        rows=tuple((holder, *cells[part]) for holder, cells in table.rows),
        total=(gettext("Allocated"), *table.totals[part]),
    )


def _ownership(behind: Ownership) -> PrintedEntry:
    """A row a holder or owner; how deep it stands is said by dashes, since on paper nothing else does."""
    heads = (gettext("Shareholder"), gettext("Shares"), *((gettext("Votes"),) if behind.has_votes else ()))
    rows = tuple(_node("– " * depth, node)[: len(heads)] for depth, node in behind.lines())
    note = gettext("Ownership structure")
    return PrintedEntry(gettext("Ultimate ownership"), note, tables=(PrintedTable(heads, rows),))


def _node(dashes: str, node: Node) -> tuple[str, str, str]:
    said = (f"{dashes}{node.name}", node.note, node.end, node.rest)
    return "\n".join(line for line in said if line), node.of_shares, node.of_votes


def _document(draft: Draft, line: DocumentLine) -> PrintedRow:
    term = f"{line.slot}, {line.party.label if line.party else draft.title}"
    document = line.document
    if document is None:
        return PrintedRow(term, note="" if line.is_required else gettext("Optional"))
    facts = f"{moments.size(document.size)}, {moments.full(document.uploaded_at)}. SHA-256 {document.sha256}"
    return PrintedRow(term, document.name, facts)


def _price(draft: Draft) -> Iterator[PrintedEntry]:
    price = price_of(draft.application)
    if price.is_given:
        table = price_table(price)
        columns = tuple(column.label for column in table.columns)
        yield PrintedEntry(gettext("Price"), tables=(PrintedTable(columns, table.rows),))


def _aside(draft: Draft) -> Iterator[PrintedEntry]:
    aside = inactive_in(draft)
    if aside and draft.application.is_open:
        entry = aside_entry(aside)
        rows = tuple(PrintedRow(row.term, row.value, row.note) for row in entry.rows)
        yield PrintedEntry(gettext("No longer needed, not sent"), entry.counts, rows=rows, columns=_columns())


def _declaration(draft: Draft) -> Iterator[PrintedEntry]:
    application = draft.application
    if not application.declaration or application.submitted_at is None:
        return
    by = application.submitted_by
    signed = gettext("Declared by %(name)s on %(when)s.") % {
        "name": by.called if by else gettext("someone whose account was deleted"),
        "when": moments.full(application.submitted_at),
    }
    yield PrintedEntry(gettext("Declaration"), paragraphs=(application.declaration, signed))
