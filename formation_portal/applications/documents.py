"""Documents as pages read them: findings, pictures, dates that are over, and earlier files that can be used again."""

import errno
import re
from collections.abc import Iterable
from datetime import date
from functools import cached_property
from typing import IO, Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q

from formation_portal.contract import canonical
from formation_portal.contract.canonical import normalised_name
from formation_portal.contract.rules import Question
from formation_portal.documents.findings import Findings
from formation_portal.documents.inspection import CLOSE, LARGE, SMALL, draw_page
from formation_portal.documents.sandbox import SandboxBusy

from .contacts import Contact, answers_by_property, is_same, latest_applications
from .draft import Draft
from .models import Application, Document, Party, Preview, SectionAnswers
from .parties import PartyRow

# So many of the newest files are looked at; older ones are uploaded again.
MAX_DOCUMENTS_READ = 100


def findings_of(document: Document) -> Findings:
    """What the checks found in it."""
    return Findings.from_json(document.findings)


def can_be_shown(document: Document) -> bool:
    """Whether there are pictures of its pages: its file is here and sound, and the malware scanner has answered."""
    return document.has_copy and not document.is_checking and findings_of(document).can_be_shown


def small_picture(document: Document) -> bytes:
    """The first page as a small JPEG; empty where there is none. Drawn and stored where it is not stored yet.

    Raises OSError where its file can't be had for now.
    """
    kept = Preview.objects.filter(document=document).first()
    if kept is not None:
        return cast(bytes, kept.picture)
    picture = _draw(document, side=SMALL)
    if picture:
        Preview.objects.get_or_create(document=document, defaults={"picture": picture})
    return picture


def page_picture(document: Document, page: int, *, is_close: bool = False) -> bytes:
    """One page as a JPEG of screen size, or larger with `is_close`; empty where it cannot be drawn.

    Raises OSError where its file can't be had, or can't be looked at, for now.
    """
    close = _draw(document, side=CLOSE, page=page) if is_close else b""
    # A noisy picture may be larger than the sandbox returns at that size.
    return close or _draw(document, side=LARGE, page=page)


def _draw(document: Document, *, side: int, page: int = 1) -> bytes:
    if not can_be_shown(document):
        return b""
    try:
        with document.file.storage.open(str(document.file.name)) as file:
            return draw_page(cast(IO[bytes], file), document.mime_type, side=side, page=page)
    except SandboxBusy as error:
        raise OSError(errno.EBUSY, "Too many files are being opened") from error
    except FileNotFoundError as error:
        # As when it is downloaded: its record is here, so it is not known to be lost, and may come back.
        raise OSError(errno.EIO, "An uploaded file is not in its storage") from error


def expired_dates(draft: Draft, party: PartyRow | None, slot: str) -> tuple[tuple[str, date], ...]:
    """The labels and dates of answers by which the document in a slot has expired.

    Such an answer is a date whose canonical name holds words of the slot's name.
    """
    questions: Iterable[Question]
    if party is not None:
        answers, questions = party.record.answers, draft.form_state.party_questions(party.record)
    else:
        answers, sections = draft.record.answers, draft.schema.entity_sections
        questions = (one for section in sections for one in draft.form_state.questions(section))
    return tuple(
        (question.spec.label, day)
        for question in questions
        if question.activation.active
        if (document := canonical.expiring_document(question.spec.canonical_field)) and document in slot.casefold()
        if isinstance(day := answers.values.get(question.spec.name), date) and day < draft.today
    )


class EarlierFiles:
    """The files of one customer that can be used again in a draft of theirs.

    Four queries at most, each for few columns and of the latest applications, once a page offers files: somebody who
    forms companies for others has hundreds.
    """

    def __init__(self, draft: Draft, user: AbstractBaseUser) -> None:
        self._draft = draft
        self._user = user
        self._about: dict[int | None, list[Document]] = {}

    def fitting(self, party: PartyRow | None, slot: str) -> tuple[Document, ...]:
        """The files that fit the slot, each content once, the newest first, without the one that is in it."""
        there = self._draft.documents_of(party).get(slot)
        found = {
            one.sha256: one
            for one in reversed(self._all_about(party))
            if can_serve(one.slot, slot) and one.pk != (there.pk if there else None)
        }
        return tuple(reversed(found.values()))

    def about(self, document: Document) -> str:
        """The name of whom a file is about."""
        if document.party_id is not None:
            return self._parties[document.party_id].label
        application = document.application_id
        return self._entity_names.get(application) or self._product_names.get(application) or ""

    @cached_property
    def _found(self) -> list[Document]:
        if self._draft.application.owner_id != self._user.pk:
            return []
        own = Q(application=self._draft.application)
        theirs = (
            Document.objects.in_use()
            .filter(copy_removed_at=None)
            .filter(own | Q(application__in=latest_applications(self._user.pk)))
        )
        few = theirs.only("application", "party", "slot", "name", "sha256", "uploaded_at")
        return list(few.order_by("-uploaded_at", "-pk")[:MAX_DOCUMENTS_READ])

    def _all_about(self, party: PartyRow | None) -> list[Document]:
        """The files about the party, or about the entity; looked up once for all of its slots."""
        key = party.model.pk if party else None
        if key not in self._about:
            if party is None:
                found = [one for one in self._found if one.party_id is None and self._is_about_the_entity(one)]
            else:
                answers = answers_by_property(party.kind, party.raw)
                # Parties of other applications that may be the same; a nameless one is nobody's.
                named = ((pk, one) for pk, one in self._parties.items() if normalised_name(one.identifying_values))
                same = {party.model.pk} | {pk for pk, one in named if is_same(party.kind, answers, one)}
                found = [one for one in self._found if one.party_id in same]
            self._about[key] = found
        return self._about[key]

    def _is_about_the_entity(self, document: Document) -> bool:
        if document.application_id == self._draft.application.pk:
            return True
        name = _folded_name(self._draft.entity_raw.get(canonical.ENTITY_NAME))
        return bool(name) and name == _folded_name(self._entity_names.get(document.application_id))

    @cached_property
    def _parties(self) -> dict[int, Contact]:
        """The parties that files are about, by primary key."""
        ids = {one.party_id for one in self._found if one.party_id is not None}
        rows = Party.objects.filter(pk__in=ids).only("application", "token", "kind", "raw")
        return {row.pk: Contact((), row.kind, answers_by_property(row.kind, row.raw)) for row in rows}

    @cached_property
    def _entity_names(self) -> dict[int, str]:
        """The names of the entities that files are about, by application."""
        answers = SectionAnswers.objects.filter(application__in=self._with_own_files)
        named = ((row.application_id, row.raw.get(canonical.ENTITY_NAME)) for row in answers)
        return {key: name for key, name in named if isinstance(name, str) and name.strip()}

    @cached_property
    def _product_names(self) -> dict[int, str]:
        """The names of the products, for entities that have no name yet."""
        return dict(Application.objects.filter(pk__in=self._with_own_files).values_list("pk", "product__product__name"))

    @property
    def _with_own_files(self) -> set[int]:
        """The keys of applications with files about the entity."""
        return {one.application_id for one in self._found if one.party_id is None}


def can_serve(name: str, slot: str) -> bool:
    """Whether a document of one slot name fits another slot: its name has all of the slot's words.

    A certified copy of a passport fits where a passport is asked for, and not the other way round.
    """
    return bool(words := _words(slot)) and words <= _words(name)


def _words(name: str) -> set[str]:
    return set(re.findall(r"\w+", name.casefold()))


def _folded_name(name: Any) -> str:
    return normalised_name({"name": name}) if isinstance(name, str) else ""
