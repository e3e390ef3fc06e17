"""What was found in a document when it was uploaded, and what answers say of it, in words for agents."""

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from formation_portal.applications.documents import expired_dates, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import format_number, long_date
from formation_portal.documents.findings import FindingCode

_WORDS: Mapping[FindingCode, str] = {
    FindingCode.UNREADABLE: "It cannot be opened. It may be damaged or incomplete.",
    FindingCode.PROTECTED: "It is protected by a password.",
    FindingCode.NO_PAGES: "It has no pages.",
    FindingCode.TOO_LARGE: "It has {width} × {height} pixels, too many to show.",
    FindingCode.TOO_HEAVY: "It took too long to open.",
    FindingCode.MISNAMED: "Its name ends in “{ending}”, but it is {type}.",
    FindingCode.FEW_PIXELS: "It has {width} × {height} pixels: small print may be unreadable.",
    FindingCode.BLURRED: "It looks blurred.",
    FindingCode.BLANK: "The first page looks nearly blank.",
    FindingCode.MANY_PAGES: "It has {pages} pages.",
    FindingCode.LOCATION: "It contains the location where it was taken.",
}


def said_of(draft: Draft, party: PartyRow, document: Document) -> tuple[str, ...]:
    """Everything that speaks against the document of a party; nothing where nothing does."""
    past = (f"“{label}”: expired on {long_date(until)}." for label, until in expired_dates(draft, party, document.slot))
    return (*_found_in(document), *past)


def _found_in(document: Document) -> Iterator[str]:
    found = findings_of(document)
    values = {
        "width": format_number(found.width),
        "height": format_number(found.height),
        "pages": format_number(found.pages),
        "ending": PurePath(document.name).suffix,
        "type": document.mime_type,
    }
    yield from (_WORDS[code].format_map(values) for code in found.codes)
