"""The rows of one application, each table read when it is asked for first.

A page of one party reads that party, its documents and its holdings. Once all parties are asked for, all documents are
read together, so that whoever goes through them takes no query for each.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

from django.db.models import Count, F, Model, Q, Sum
from django.db.models.functions import Length
from django.utils.functional import SimpleLazyObject

from formation_portal.core.prepared_queries import PreparedQuery

from .models import Application, Document, Holding, Party, SectionAnswers, ShareClass

Entry = TypeVar("Entry")

# Whoever asks for one after another gets all of them.
_MOST_ALONE = 4
# Whose document it is, by their token (None: the entity's), and the slot's name.
DocumentPlace = tuple[str | None, str]

Entered = TypeVar("Entered", SectionAnswers, Party, ShareClass, Document, Holding)
Owned = TypeVar("Owned", bound=Model)


class RosterEntry(NamedTuple):
    """A party by its number and token, with what says which roles it can have."""

    pk: int
    token: str
    kind: str
    roles: tuple[str, ...]


_SECTIONS = PreparedQuery(lambda application: SectionAnswers.objects.filter(application=application))
_PARTIES = PreparedQuery(lambda application: Party.objects.filter(application=application))
_PARTY = PreparedQuery(lambda application, token: Party.objects.filter(application=application, token=token))
_ROSTER = PreparedQuery(
    lambda application: Party.objects.filter(application=application, removed_at=None).values_list(
        "pk", "token", "kind", "roles"
    )
)
_LENGTHS = PreparedQuery(
    lambda application: (
        Party.objects.filter(application=application)
        .order_by()
        .values("application")
        .annotate(count=Count("pk"), length=Sum(Length("raw")))
        .values_list("count", "length")
    )
)
_SHARE_CLASSES = PreparedQuery(lambda application: ShareClass.objects.filter(application=application))
_DOCUMENTS = PreparedQuery(lambda application: Document.objects.filter(application=application))
_HOLDINGS = PreparedQuery(lambda application: Holding.objects.filter(application=application))
_HOLDINGS_OF = PreparedQuery(lambda application, party: Holding.objects.filter(application=application, party=party))
_SHARES = PreparedQuery(
    lambda application: Holding.objects.filter(application=application).values_list("party", "share_class", "shares")
)
_OWN_DOCUMENTS = PreparedQuery(lambda application: Document.objects.filter(application=application, party=None))

# Whoever was entered before these says little of what is chosen next.
MOST_LATEST = 20
_LATEST_PARTIES = PreparedQuery(
    lambda application: Party.objects.filter(application=application, removed_at=None).order_by("-position", "-pk")[
        :MOST_LATEST
    ]
)

_TABLES = (
    "sections",
    "roster",
    "_entered",
    "party_models",
    "removed_party_models",
    "share_class_models",
    "_uploaded",
    "documents",
    "replaced_documents",
    "holdings",
)


class StoredRows:
    """What is stored of an application. An unsaved one has nothing, and its lists are filled by whoever makes it."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._looked_up = 0
        # What was read alone: parties by their tokens, documents and holdings by those of their parties.
        self._party_alone: dict[str, Party | None] = {}
        self._documents_alone: dict[str | None, list[Document]] = {}
        self._holdings_alone: dict[str, dict[tuple[str, str], Holding]] = {}

    def forget_rows(self) -> None:
        """Read everything anew when it is asked for."""
        for name in _TABLES:
            self.__dict__.pop(name, None)
        getattr(self.application, "_prefetched_objects_cache", {}).clear()
        self._party_alone.clear()
        self._documents_alone.clear()
        self._holdings_alone.clear()

    @property
    def has_all_parties(self) -> bool:
        """Whether the parties were read together."""
        return "_entered" in self.__dict__ or "party_models" in self.__dict__ or self.application.pk is None

    @property
    def has_all_documents(self) -> bool:
        """Whether documents are read together."""
        return "documents" in self.__dict__ or self.has_all_parties

    def _read(self, query: PreparedQuery[Entered], part: str = "") -> list[Entered]:
        """The rows; of a whole part of the application those that were prefetched for many."""
        prefetched = getattr(self.application, "_prefetched_objects_cache", {})
        return list(prefetched[part]) if part in prefetched else rows_of(self.application, query)

    @cached_property
    def sections(self) -> dict[str, SectionAnswers]:
        """The answers about the entity, by section."""
        if self.application.pk is None:
            return {}
        return {row.section_key: row for row in self._read(_SECTIONS, "section_answers")}

    @cached_property
    def _entered(self) -> list[Party]:
        if self.application.pk is None:
            return []
        # Whoever was read alone stays the same object, so that a change of it is seen here, too.
        known = {model.pk: model for model in self._party_alone.values() if model}
        return [known.get(model.pk, model) for model in self._read(_PARTIES, "parties")]

    @cached_property
    def party_models(self) -> list[Party]:
        """The parties that count, in their order."""
        return [party for party in self._entered if party.removed_at is None]

    @cached_property
    def roster(self) -> list[RosterEntry]:
        """Which parties there are, in their order; one query where they were not read together, and no answer in it."""
        if self.has_all_parties:
            return [RosterEntry(one.pk, one.token, one.kind, tuple(one.roles)) for one in self.party_models]
        rows = _ROSTER.tuples(self.application.pk)
        return [RosterEntry(pk, token, kind, tuple(roles)) for pk, token, kind, roles in rows]

    @property
    def party_lengths(self) -> tuple[int, int]:
        """How many parties there are, also removed ones, and how long what is stored of all of them is. One query."""
        return next(iter(_LENGTHS.tuples(self.application.pk)), (0, 0))

    @property
    def party_count(self) -> int:
        """How many parties count; one query where they were not read together."""
        if self.has_all_parties:
            return len(self.party_models)
        return self.application.parties.filter(removed_at=None).count()

    @property
    def document_count(self) -> int:
        """How many files are in use; one query where they were not read together."""
        return len(self.documents) if "documents" in self.__dict__ else self.application.documents.in_use().count()

    @cached_property
    def removed_party_models(self) -> list[Party]:
        """Those that can be restored."""
        return [party for party in self._entered if party.removed_at is not None]

    def party_model(self, token: str) -> Party | None:
        """The party of that token; one query where they were not read together."""
        if self.has_all_parties:
            return next((one for one in self.party_models if one.token == token), None)
        found = self._entered_alone(token)
        return found if found and found.removed_at is None else None

    def latest_party_models(self) -> list[Party]:
        """The last parties (MOST_LATEST), in their order; one query where they were not read together."""
        if self.has_all_parties:
            return self.party_models[-MOST_LATEST:]
        return self._alone(reversed(self._read(_LATEST_PARTIES)))

    def party_models_of(self, tokens: Collection[str]) -> list[Party]:
        """Those of the tokens, in their order; one query where one of them was not read yet."""
        if self.has_all_parties or not tokens:
            return [one for one in self.party_models if one.token in tokens] if tokens else []
        if self._party_alone.keys() >= set(tokens):
            known = (one for token in tokens if (one := self._party_alone[token]) and one.removed_at is None)
            return sorted(known, key=lambda one: (one.position, one.pk))
        return self._alone(self.application.parties.filter(token__in=tokens, removed_at=None))

    def party_models_by_identity(self, digest: str, *, today: date) -> list[Party]:
        """Those with that digest of an identity, and those of whom it isn't known: one query."""
        alike = Q(identity=digest) | ~Q(judged_of=F("updated_at"), judged_until__gt=today)
        return self._alone(self.application.parties.filter(alike, removed_at=None))

    def _alone(self, models: Iterable[Party]) -> list[Party]:
        """Whoever was read alone stays the same object."""
        found = [self._party_alone.get(model.token) or model for model in models]
        self._party_alone |= {model.token: model for model in found}
        return found

    def removed_party_model(self, token: str) -> Party | None:
        """The removed party of that token; one query where they were not read together."""
        if self.has_all_parties:
            return next((one for one in self.removed_party_models if one.token == token), None)
        found = self._entered_alone(token)
        return found if found and found.removed_at is not None else None

    def _entered_alone(self, token: str) -> Party | None:
        if token not in self._party_alone:
            self._looked_up += 1
            if self._looked_up > _MOST_ALONE:
                return next((one for one in self._entered if one.token == token), None)
            self._party_alone[token] = next(iter(rows_of(self.application, _PARTY, token)), None)
        return self._party_alone[token]

    def add_party_model(self, model: Party) -> None:
        """Take a party that was saved just now."""
        if self.has_all_parties:
            self.party_models.append(model)
        self._party_alone[model.token] = model

    @cached_property
    def share_class_models(self) -> list[ShareClass]:
        """The classes of shares, in their order."""
        return self._read(_SHARE_CLASSES, "share_classes") if self.application.pk is not None else []

    @cached_property
    def _uploaded(self) -> list[Document]:
        if self.application.pk is None:
            return []
        parties = {party.pk: party for party in self.party_models}
        found = [one for one in self._read(_DOCUMENTS, "documents") if one.party_id is None or one.party_id in parties]
        for document in found:
            document.application = self.application
            document.party = parties[document.party_id] if document.party_id else None
        return found

    @cached_property
    def documents(self) -> list[Document]:
        """The files that are in use."""
        return [one for one in self._uploaded if one.replaced_at is None]

    @cached_property
    def replaced_documents(self) -> list[Document]:
        """Files that were replaced by others."""
        return [one for one in self._uploaded if one.replaced_at is not None]

    @cached_property
    def _documents_by_holder(self) -> dict[str | None, list[Document]]:
        found: dict[str | None, list[Document]] = {}
        for one in (*self.documents, *self.replaced_documents):
            found.setdefault(token_of(one.party), []).append(one)
        return found

    def files_of(self, token: str | None) -> list[Document]:
        """Every file of a party, or of the entity, also those that were replaced."""
        if self.has_all_documents:
            return self._documents_by_holder.get(token, [])
        if token not in self._documents_alone:
            if token is None:
                self._documents_alone[None] = self._attached(self._read(_OWN_DOCUMENTS), None)
            elif (party := self.party_model(token)) is None:
                return []
            else:
                self._read_documents({party, *filter(None, self._party_alone.values())})
        return self._documents_alone[token]

    def _read_documents(self, parties: Iterable[Party]) -> None:
        """The files of everybody who was read so far: whoever looks at a few of them asks for each one's."""
        those = {one.pk: one for one in parties if one.token not in self._documents_alone}
        files: dict[int | None, list[Document]] = {pk: [] for pk in those}
        for document in self.application.documents.filter(party__in=those):
            files[document.party_id].append(document)
        for pk, party in those.items():
            self._documents_alone[party.token] = self._attached(files[pk], party)

    def document(self, number: int) -> Document | None:
        """The file of that number, in use or replaced; not of a removed party."""
        if self.has_all_documents:
            return next((one for one in (*self.documents, *self.replaced_documents) if one.pk == number), None)
        found = self.application.documents.filter(pk=number).select_related("party").first()
        if found is None or (found.party and found.party.removed_at is not None):
            return None
        return next((one for one in self.files_of(token_of(found.party)) if one.pk == number), None)

    def _attached(self, rows: Iterable[Document], party: Party | None) -> list[Document]:
        found = list(rows)
        for document in found:
            document.application, document.party = self.application, party
        return found

    def document_saved(self, document: Document) -> None:
        """Take a file that was added, replaced or removed just now."""
        self.__dict__.pop("_documents_by_holder", None)
        if "documents" in self.__dict__ or "replaced_documents" in self.__dict__:
            for rows, is_here in (
                (self.documents, document.replaced_at is None),
                (self.replaced_documents, document.replaced_at is not None),
            ):
                if document in rows:
                    rows.remove(document)
                if is_here and document.pk is not None:
                    rows.append(document)
        self.__dict__.pop("_uploaded", None)
        self._documents_alone.clear()

    @cached_property
    def holdings(self) -> dict[tuple[str, str], Holding]:
        """Who holds what, by the tokens of party and class."""
        classes = {row.pk: row.token for row in self.share_class_models}
        if not classes or self.application.pk is None:
            return {}
        rows = self.party_models if self.has_all_parties else self.roster
        parties = {one.pk: one.token for one in rows}
        known = {row.pk: row for some in self._holdings_alone.values() for row in some.values()}
        return {
            (parties[row.party_id], classes[row.share_class_id]): known.get(row.pk, row)
            for row in self._read(_HOLDINGS, "holdings")
            if row.party_id in parties
        }

    @property
    def shares_held(self) -> dict[tuple[str, str], int | None]:
        """How many shares a party holds of a class, by the tokens of both; None where that can't be read.

        One query where the holdings were not read, and no row is made of what it finds.
        """
        if "holdings" in self.__dict__ or self.has_all_parties:
            return {pair: row.shares for pair, row in self.holdings.items()}
        classes = {row.pk: row.token for row in self.share_class_models}
        parties = {one.pk: one.token for one in self.roster} if classes else {}
        found = _SHARES.tuples(self.application.pk) if classes else ()
        return {(parties[party], classes[row]): shares for party, row, shares in found if party in parties}

    @cached_property
    def _holdings_by_party(self) -> dict[str, dict[tuple[str, str], Holding]]:
        found: dict[str, dict[tuple[str, str], Holding]] = {}
        for pair, row in self.holdings.items():
            found.setdefault(pair[0], {})[pair] = row
        return found

    def holdings_of(self, token: str) -> dict[tuple[str, str], Holding]:
        """What one party holds, by the tokens of party and class."""
        if "holdings" in self.__dict__ or self.has_all_parties:
            return self._holdings_by_party.get(token, {})
        if token not in self._holdings_alone:
            party, classes = self.party_model(token), {row.pk: row.token for row in self.share_class_models}
            rows = rows_of(self.application, _HOLDINGS_OF, party.pk) if party and classes else []
            self._holdings_alone[token] = {(token, classes[row.share_class_id]): row for row in rows}
        return self._holdings_alone[token]


class DocumentPlaces(Set[DocumentPlace]):
    """Where there are documents; whose aren't asked for are not read."""

    def __init__(self, rows: StoredRows) -> None:
        self._rows = rows

    def __contains__(self, place: object) -> bool:
        if not isinstance(place, tuple):
            return False
        token, slot = place
        return any(one.slot == slot and one.replaced_at is None for one in self._rows.files_of(token))

    def __iter__(self) -> Iterator[DocumentPlace]:
        return ((token_of(one.party), one.slot) for one in self._rows.documents)

    def __len__(self) -> int:
        return len(self._rows.documents)

    @classmethod
    def _from_iterable(cls, places: Iterable[DocumentPlace]) -> Set[DocumentPlace]:  # type: ignore[override]
        return frozenset(places)


def rows_of(application: Application, query: PreparedQuery[Owned], *values: Any) -> list[Owned]:
    """The application's rows, by its number and what else the query takes. One query."""
    rows = query.rows(application.pk, *values)
    for row in rows:
        row.application = application  # type: ignore[attr-defined]  # each of them belongs to one
    return rows


def token_of(party: Party | None) -> str | None:
    """A party's token; None is the entity."""
    return party.token if party else None


def when_asked(read: Callable[[], Entry]) -> Entry:
    """What is read when somebody goes through it."""
    return cast(Entry, SimpleLazyObject(read))
