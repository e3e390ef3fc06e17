"""The rows of one application. Those in one table are read together, at their first use."""

from collections.abc import Iterable
from functools import cached_property
from typing import Protocol, TypeVar

from .models import Application, Document, Holding, Party, SectionAnswers, ShareClass
from .queries import DOCUMENTS, HOLDINGS, PARTIES, SECTIONS, SHARE_CLASSES, rows_of

_OF_DOCUMENTS = ("_all_documents", "documents", "replaced_documents", "_documents_by_party")


class HasToken(Protocol):
    """A party or share class, as stored or as evaluated."""

    @property
    def token(self) -> str: ...


Row = TypeVar("Row", bound=HasToken)


class StoredRows:
    """The rows of an application. For an unsaved application, the code that makes it fills the lists."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def forget_rows(self) -> None:
        """Forget all rows; the next use of a table reads it again."""
        self.forget_properties(StoredRows)
        getattr(self.application, "_prefetched_objects_cache", {}).clear()

    def forget_properties(self, owner: type) -> None:
        """Forget the cached properties that a class defines."""
        for name, attribute in vars(owner).items():
            if isinstance(attribute, cached_property):
                self.__dict__.pop(name, None)

    def forget_documents(self) -> None:
        """Forget the documents after a change; the next use reads them again."""
        for name in _OF_DOCUMENTS:
            self.__dict__.pop(name, None)
        getattr(self.application, "_prefetched_objects_cache", {}).pop("documents", None)

    @cached_property
    def sections(self) -> dict[str, SectionAnswers]:
        return {row.section_key: row for row in rows_of(self.application, SECTIONS, "section_answers")}

    @cached_property
    def _all_parties(self) -> list[Party]:
        return rows_of(self.application, PARTIES, "parties")

    @cached_property
    def party_models(self) -> list[Party]:
        """Return the parties that are not removed, in order."""
        return [party for party in self._all_parties if party.removed_at is None]

    @cached_property
    def removed_party_models(self) -> list[Party]:
        """Return the removed parties, which can be restored, in order."""
        return [party for party in self._all_parties if party.removed_at is not None]

    def party_model(self, token: str) -> Party | None:
        return find_row(self.party_models, token)

    @cached_property
    def share_class_models(self) -> list[ShareClass]:
        return rows_of(self.application, SHARE_CLASSES, "share_classes")

    @cached_property
    def _all_documents(self) -> list[Document]:
        """Return the files of the entity and of parties not removed, each with its party."""
        parties: dict[int | None, Party | None] = {None: None}
        for party in self.party_models:
            parties[party.pk] = party
        documents = []
        for document in rows_of(self.application, DOCUMENTS, "documents"):
            if document.party_id in parties:
                document.party = parties[document.party_id]
                documents.append(document)
        return documents

    @cached_property
    def documents(self) -> list[Document]:
        return [document for document in self._all_documents if document.replaced_at is None]

    @cached_property
    def replaced_documents(self) -> list[Document]:
        return [document for document in self._all_documents if document.replaced_at is not None]

    @cached_property
    def _documents_by_party(self) -> dict[str | None, dict[str, Document]]:
        by_party: dict[str | None, dict[str, Document]] = {}
        for document in self.documents:
            by_party.setdefault(token_of(document.party), {})[document.slot] = document
        return by_party

    def documents_of(self, party: HasToken | None) -> dict[str, Document]:
        """Return the current files of a party, or of the entity (None), by slot."""
        return self._documents_by_party.get(token_of(party), {})

    def replaced_in(self, party: HasToken | None, slot: str) -> list[Document]:
        """Return the files that were in a slot before, the last replaced first."""
        token = token_of(party)
        earlier = [row for row in self.replaced_documents if row.slot == slot and token_of(row.party) == token]
        return sorted(earlier, key=lambda document: (str(document.replaced_at), document.pk), reverse=True)

    def document(self, number: int) -> Document | None:
        """Return the file with this primary key, in use or replaced; None for a file of a removed party."""
        return next((document for document in self._all_documents if document.pk == number), None)

    @cached_property
    def holdings(self) -> dict[tuple[str, str], Holding]:
        """Return the holdings of parties not removed, by the tokens of party and class."""
        parties = {party.pk: party.token for party in self.party_models}
        classes = {share_class.pk: share_class.token for share_class in self.share_class_models}
        return {
            (parties[row.party_id], classes[row.share_class_id]): row
            for row in rows_of(self.application, HOLDINGS, "holdings")
            if row.party_id in parties
        }

    def holdings_of(self, token: str) -> dict[tuple[str, str], Holding]:
        return {pair: row for pair, row in self.holdings.items() if pair[0] == token}


def find_row(rows: Iterable[Row], token: str | None) -> Row | None:
    """Return the row with a token; None if there is none."""
    return next((row for row in rows if row.token == token), None)


def token_of(party: HasToken | None) -> str | None:
    """Return a party's token; None stands for the entity."""
    return party.token if party else None
