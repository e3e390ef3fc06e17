"""Which files that somebody has uploaded before can serve in a slot: their own, about the same one, of such a kind."""

import re
from functools import cached_property
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.contract import canonical
from formation_portal.contract.identity import folded_name

from .drafts import Draft
from .models import Document, SectionAnswers
from .register import Known, by_property, is_same
from .rows import PartyRow

# More papers than anybody keeps apart by their names; older ones are uploaded again.
READ_AT_MOST = 300


class EarlierFiles:
    """The files of one customer, as far as they can be used again in a draft of theirs. Two queries at most."""

    def __init__(self, draft: Draft, user: AbstractBaseUser) -> None:
        self._draft = draft
        self._user = user

    def fitting(self, party: PartyRow | None, slot: str) -> tuple[Document, ...]:
        """What the slot could take, each content once, the newest first; none that is in the slot."""
        there = self._draft.documents_of(party).get(slot)
        found = {
            one.sha256: one
            for one in reversed(self._found)
            if serves(one.slot, slot) and one.pk != (there.pk if there else None) and self._is_about(one, party)
        }
        return tuple(reversed(found.values()))

    def about(self, document: Document) -> str:
        """Whom a file is about, by name."""
        if document.party is not None:
            return _known(document).label
        return self._entity_names.get(document.application_id, "") or document.application.product_name

    @cached_property
    def _found(self) -> list[Document]:
        if self._draft.application.owner_id != self._user.pk:
            return []
        theirs = Document.objects.in_use().filter(application__owner=self._user.pk, application__deleted_at=None)
        return list(theirs.select_related("application", "party").order_by("-uploaded_at", "-pk")[:READ_AT_MOST])

    def _is_about(self, document: Document, party: PartyRow | None) -> bool:
        if (document.party is None) != (party is None):
            return False
        if party is None:
            return self._is_about_the_entity(document)
        if document.party_id == party.model.pk:
            return True
        known = _known(document)
        return bool(folded_name(known.told)) and is_same(party.kind, by_property(party.kind, party.raw), known)

    def _is_about_the_entity(self, document: Document) -> bool:
        if document.application_id == self._draft.application.pk:
            return True
        name = _folded(self._draft.entity_raw.get(canonical.ENTITY_NAME))
        return bool(name) and name == _folded(self._entity_names.get(document.application_id))

    @cached_property
    def _entity_names(self) -> dict[int, str]:
        """What the entities are called that files are about, by application."""
        applications = {one.application_id for one in self._found if one.party is None}
        answers = SectionAnswers.objects.filter(application__in=applications) if applications else ()
        named = ((row.application_id, row.raw.get(canonical.ENTITY_NAME)) for row in answers)
        return {application: name for application, name in named if isinstance(name, str) and name.strip()}


def serves(name: str, slot: str) -> bool:
    """Whether a paper that was asked for by the one name can be what the other asks for: it is that, or more.

    A certified copy of a passport serves where a passport is asked for, and not the other way round.
    """
    return bool(words := _words(slot)) and words <= _words(name)


def _words(name: str) -> set[str]:
    return set(re.findall(r"\w+", name.casefold()))


def _known(document: Document) -> Known:
    party = document.party
    assert party is not None
    return Known((), party.kind, by_property(party.kind, party.raw))


def _folded(name: Any) -> str:
    return folded_name({"name": name}) if isinstance(name, str) else ""
