"""Files as components/slot.html draws them: the one that counts, those before it, those that could be used again."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from formation_portal.applications.documents import EarlierFiles, findings_of
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.portal.advice import facts

from . import moments

# More than this are no help.
OFFERED_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class FileRow:
    """An uploaded file by its own name; without a picture there is nothing to look at, and `url` gives the file."""

    name: str
    url: str
    facts: str
    picture_url: str
    file_url: str


@dataclass(frozen=True, slots=True)
class EarlierRow:
    """A file that another has taken the place of."""

    name: str
    url: str
    facts: str
    remove_url: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A file that was uploaded before; `value` names it and the slot in a post."""

    value: str
    name: str
    facts: str


def file_row(document: Document) -> FileRow:
    """The file in a slot."""
    file_url = address("document", document)
    if not findings_of(document).can_be_shown:
        return FileRow(document.name, file_url, facts(document), "", "")
    return FileRow(
        document.name,
        address("document_page", document, 1),
        facts(document),
        address("document_thumbnail", document),
        file_url,
    )


def earlier_rows(documents: Iterable[Document], *, can_be_changed: bool) -> tuple[EarlierRow, ...]:
    """The files that were in the slot before."""
    return tuple(
        EarlierRow(
            one.name,
            address("document", one),
            _("uploaded on %(uploaded)s, replaced on %(replaced)s")
            % {
                "uploaded": moments.day(one.uploaded_at.date()),
                "replaced": moments.day(one.replaced_at.date()) if one.replaced_at else "",
            },
            address("document_removal", one) if can_be_changed else "",
        )
        for one in documents
    )


def offers(earlier: EarlierFiles | None, party: PartyRow | None, slot: str, key: str) -> tuple[Offer, ...]:
    """What could be used again in an empty slot."""
    found = earlier.fitting(party, slot)[:OFFERED_AT_MOST] if earlier else ()
    return tuple(Offer(f"{one.pk}/{key}", one.name, _offered(one, earlier.about(one))) for one in found if earlier)


def _offered(document: Document, whom: str) -> str:
    words = {"day": moments.day(document.uploaded_at.date()), "whom": whom}
    return _("uploaded on %(day)s for %(whom)s") % words


def address(view: str, document: Document, *more: int) -> str:
    """An address of a document."""
    return reverse(f"portal:{view}", args=[document.application.reference, document.pk, *more])
