"""The parties and documents of a case as rows: how far their checks are, and what changed of them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.urls import reverse

from formation_portal.applications.documents import findings_of
from formation_portal.applications.readback import DocumentLine, PartyReadback
from formation_portal.reviews.targets import Target

from .case_reading import Reading, Standing
from .coming_from import party_url
from .counts import if_any, together
from .differences import Difference
from .remark_panels import Panel
from .unseen_documents import seen_words


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
    standing: Standing | None = None
    panel: Panel | None = None


def parties_of(reading: Reading) -> Parties:
    """Every party; where only what changed is asked for, those that changed or are not done."""
    lines = [(_line(reading, one), _is_left_out(reading, one)) for one in reading.told.parties]
    sheets = [sheet for sheet in reading.facts.holders if sheet.token]
    done, there_are = sum(sheet.done for sheet in sheets), sum(len(sheet.facts) for sheet in sheets)
    return Parties(
        rows=tuple(line for line, is_left_out in lines if not is_left_out),
        hidden=sum(is_left_out for _, is_left_out in lines),
        removed=reading.differences.removed,
        status=f"{done} of {if_any(there_are, 'check')} done" if there_are else "",
    )


def _is_left_out(reading: Reading, told: PartyReadback) -> bool:
    sheet = reading.facts.of_holder(told.party.token)
    has_news = told.party.token in reading.differences.added or reading.differences.of(told.party.token)
    is_done = sheet is None or sheet.is_done
    return reading.only_changed and is_done and not has_news and not reading.open_at(told.party.token)


def _line(reading: Reading, told: PartyReadback) -> PartyLine:
    token, sheet = told.party.token, reading.facts.of_holder(told.party.token)
    changes, questions = reading.differences.of(token), len(reading.open_at(token))
    done, there_are = (sheet.done, len(sheet.facts)) if sheet else (0, 0)
    is_new, roles = token in reading.differences.added, ", ".join(told.roles)
    news = "New since the last return" if is_new else _changed(changes)
    mark = "heed" if questions else "met" if done == there_are else "changed" if changes or is_new else ""
    parts = (f"{done} of {if_any(there_are, 'check')}", if_any(questions, "query", "queries"))
    status = ", ".join(filter(None, parts))
    return PartyLine(
        id=f"party-{token}",
        name=told.party.label,
        url=party_url(reading.draft.application.reference, token, reading.shown),
        mark=mark or ("half" if done else "open"),
        note=". ".join(one for one in (roles[:1].upper() + roles[1:], news) if one),
        status=status,
    )


def _changed(changes: tuple[Difference, ...]) -> str:
    documents = sum(one.is_document for one in changes)
    said = together(if_any(len(changes) - documents, "answer"), if_any(documents, "document"))
    return f"{said} changed" if said else ""


def documents_of(reading: Reading) -> tuple[DocumentRow, ...]:
    """Every document that is asked for; where only what changed is asked for, those that did, or are asked about."""
    rows = tuple(_documents(reading))
    if not reading.only_changed:
        return rows
    return tuple(row for row in rows if row.difference or row.mark in ("heed", "open", "changed"))


def _documents(reading: Reading) -> Iterator[DocumentRow]:
    for line in reading.told.documents:
        holder = line.party.token if line.party else ""
        place, changed = Target.of_document(holder, line.slot), reading.differences.at(holder, line.slot)
        fact = reading.facts.at(place)
        standing = reading.standing(fact) if fact else None
        row = replace(_document(reading, line), mark="changed" if changed else "", difference=changed)
        if line.party is None:
            # Checked here; a party's are checked on its own page.
            mark = row.mark or (standing.mark if standing else "")
            row = replace(row, mark=mark, standing=standing, panel=reading.panel(place))
        yield row


def _document(reading: Reading, line: DocumentLine) -> DocumentRow:
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
        seen=seen_words(reading.seen.names_of(document.pk)),
    )
