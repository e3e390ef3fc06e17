"""Documents as pages show them: findings, pictures, expiry dates, and earlier files that can be used again."""

import errno
import re
from datetime import date
from functools import cached_property
from typing import IO, Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q

from formation_portal.contract import canonical
from formation_portal.contract.canonical import normalised_name
from formation_portal.documents.findings import Findings
from formation_portal.documents.inspection import CLOSE, LARGE, SMALL, draw_page
from formation_portal.documents.sandbox import SandboxBusy

from .contacts import Contact, answers_by_property, is_same
from .draft import Draft
from .models import Application, Document, Party, Preview, SectionAnswers
from .parties import PartyRow

# The number of latest files that are offered for reuse.
MAX_DOCUMENTS_READ = 100


def findings_of(document: Document) -> Findings:
    return Findings.from_json(document.findings)


def can_be_shown(document: Document) -> bool:
    """Tell whether the pages can be drawn: our copy is present and sound, and the malware scanner has answered."""
    return document.has_copy and not document.is_checking and findings_of(document).can_be_shown


def small_picture(document: Document) -> bytes:
    """Return the first page as a small JPEG, drawn at the first call; empty if it cannot be drawn. Raises OSError."""
    preview = Preview.objects.filter(document=document).first()
    if preview is not None:
        return cast(bytes, preview.picture)
    picture = _draw(document, side=SMALL)
    if picture:
        Preview.objects.get_or_create(document=document, defaults={"picture": picture})
    return picture


def page_picture(document: Document, page: int, *, is_close: bool = False) -> bytes:
    """Return a page as a JPEG of screen size, or larger with `is_close`; empty if it can't be drawn. Raises OSError."""
    # At the larger size, a noisy picture may exceed what the sandbox returns.
    if is_close and (picture := _draw(document, side=CLOSE, page=page)):
        return picture
    return _draw(document, side=LARGE, page=page)


def _draw(document: Document, *, side: int, page: int = 1) -> bytes:
    if not can_be_shown(document):
        return b""
    try:
        with document.file.storage.open(str(document.file.name)) as file:
            return draw_page(cast(IO[bytes], file), document.mime_type, side=side, page=page)
    except SandboxBusy as error:
        raise OSError(errno.EBUSY, "Too many files are being opened") from error
    except FileNotFoundError as error:
        # As for a download: the file has a row, so its absence may be temporary.
        raise OSError(errno.EIO, "An uploaded file is not in its storage") from error


def expired_dates(draft: Draft, party: PartyRow | None, slot: str) -> tuple[tuple[str, date], ...]:
    """Return the label and date of each answer that says when the document in this slot expires, if it has expired."""
    holder = party.record if party else None
    answers = draft.form_state.values_of(holder)
    dates: list[tuple[str, date]] = []
    for question in draft.form_state.holder_questions(holder):
        document = canonical.expiring_document(question.spec.canonical_field)
        day = answers.get(question.spec.name)
        is_about_slot = bool(document) and document in slot.casefold() and question.activation.active
        if is_about_slot and isinstance(day, date) and day < draft.today:
            dates.append((question.spec.label, day))
    return tuple(dates)


class EarlierFiles:
    """A customer's files that can be used again in a draft. At most four SQL queries, made when first needed."""

    def __init__(self, draft: Draft, user: AbstractBaseUser) -> None:
        self._draft = draft
        self._user = user
        self._about: dict[int, list[Document]] = {}

    def fitting(self, party: PartyRow | None, slot: str) -> tuple[Document, ...]:
        """Return the files that fit the slot, newest first, without duplicates or the slot's current file."""
        current = self._draft.documents_of(party).get(slot)
        by_content: dict[str, Document] = {}
        for document in reversed(self._files_about(party)):
            if can_serve(document.slot, slot) and document != current:
                by_content[document.sha256] = document
        return tuple(reversed(by_content.values()))

    def about(self, document: Document) -> str:
        """Return the name of the party or entity that a file is about; the product's name for an unnamed entity."""
        if document.party_id is not None:
            return self._parties[document.party_id].label
        application = document.application_id
        return self._entity_names.get(application) or self._product_names.get(application) or ""

    @cached_property
    def _files(self) -> list[Document]:
        if self._draft.application.owner_id != self._user.pk:
            return []
        own = Q(application=self._draft.application)
        latest = Q(application__in=Application.objects.latest_of(self._user.pk))
        files = Document.objects.in_use().filter(own | latest, copy_removed_at=None)
        files = files.only("application", "party", "slot", "name", "sha256", "uploaded_at")
        return list(files.order_by("-uploaded_at", "-pk")[:MAX_DOCUMENTS_READ])

    def _files_about(self, party: PartyRow | None) -> list[Document]:
        if party is None:
            return self._files_about_entity
        key = party.model.pk
        if key not in self._about:
            answers = answers_by_property(party.kind, party.raw)
            same_parties = {key}
            for other, contact in self._parties.items():
                # A party without a name matches no other.
                if normalised_name(contact.identifiers) and is_same(party.kind, answers, contact):
                    same_parties.add(other)
            self._about[key] = [file for file in self._files if file.party_id in same_parties]
        return self._about[key]

    @cached_property
    def _files_about_entity(self) -> list[Document]:
        name = _folded_name(self._draft.entity_raw.get(canonical.ENTITY_NAME))
        files = []
        for file in self._files:
            if file.party_id is None:
                is_own = file.application_id == self._draft.application.pk
                if is_own or (name and name == _folded_name(self._entity_names.get(file.application_id))):
                    files.append(file)
        return files

    @cached_property
    def _parties(self) -> dict[int, Contact]:
        keys = {file.party_id for file in self._files if file.party_id is not None}
        rows = Party.objects.filter(pk__in=keys).only("application", "token", "kind", "raw")
        return {row.pk: Contact((), row.kind, answers_by_property(row.kind, row.raw)) for row in rows}

    @cached_property
    def _entity_names(self) -> dict[int, str]:
        names = {}
        for row in SectionAnswers.objects.filter(application__in=self._with_own_files):
            name = row.raw.get(canonical.ENTITY_NAME)
            if isinstance(name, str) and name.strip():
                names[row.application_id] = name
        return names

    @cached_property
    def _product_names(self) -> dict[int, str]:
        return dict(Application.objects.filter(pk__in=self._with_own_files).values_list("pk", "product__product__name"))

    @property
    def _with_own_files(self) -> set[int]:
        return {file.application_id for file in self._files if file.party_id is None}


def can_serve(name: str, slot: str) -> bool:
    """Tell whether `name` has all words of `slot`: a certified copy of a passport also serves as a passport."""
    required = set(re.findall(r"\w+", slot.casefold()))
    return bool(required) and required <= set(re.findall(r"\w+", name.casefold()))


def _folded_name(name: Any) -> str:
    return normalised_name({"name": name}) if isinstance(name, str) else ""
