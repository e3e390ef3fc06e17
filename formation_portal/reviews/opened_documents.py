"""Which agents have opened which documents: nobody should accept, or decide about, what nobody has looked at."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import OuterRef, Subquery

from formation_portal.applications.draft import Draft
from formation_portal.audit.access import accesses_by_agents, is_document_access

from .checklist import Fact
from .exceptions import DocumentsNotOpened


@dataclass(frozen=True, slots=True)
class OpenedDocuments:
    """Who has opened each document: the accounts by the documents' numbers, and what those agents are called."""

    accounts: Mapping[int, tuple[int, ...]]
    names: Mapping[int, str]

    def names_of(self, document: int) -> tuple[str, ...]:
        """The names of the agents who have opened it, the first one first."""
        return tuple(self.names[one] for one in self.accounts.get(document, ()) if self.names.get(one))

    def with_one_more(self, document: int, agent: Any) -> "OpenedDocuments":
        """The same once this agent has opened the document."""
        accounts = dict.fromkeys((*self.accounts.get(document, ()), agent.pk))
        return OpenedDocuments({**self.accounts, document: tuple(accounts)}, {**self.names, agent.pk: agent.called})


def opened_documents(draft: Draft) -> OpenedDocuments:
    """Who has opened what of an application: one query."""
    account_model: Any = get_user_model()
    person = account_model.objects.filter(pk=OuterRef("account"))
    named = {name: Subquery(person.values(name)[:1]) for name in ("first_name", "last_name", "email")}
    accounts: dict[int, dict[int, None]] = {}
    names: dict[int, str] = {}
    looks = accesses_by_agents(draft.application.reference).annotate(**named)
    for subject, account, detail, *name in looks.values_list("subject", "account", "detail", *named):
        if is_document_access(subject, detail):
            accounts.setdefault(int(subject), {})[account] = None
            names[account] = account_model(**dict(zip(named, name, strict=True))).called if name[-1] else ""
    return OpenedDocuments({document: tuple(several) for document, several in accounts.items()}, names)


def require_opened(
    draft: Draft, facts: Iterable[Fact], acknowledged: Collection[int] | None, *, by: AbstractBaseUser
) -> None:
    """Raise DocumentsNotOpened where this agent has opened one of these documents neither before nor acknowledged
    that: `acknowledged` are the keys of the documents that the agent goes on without, None checks nothing. One
    query, and none without a document."""
    documents = [fact for fact in facts if fact.document is not None]
    if acknowledged is None or not documents:
        return
    seen = opened_documents(draft)
    unseen = [fact for fact in documents if fact.document and by.pk not in seen.accounts.get(fact.document.pk, ())]
    if any(fact.document and fact.document.pk not in acknowledged for fact in unseen):
        raise DocumentsNotOpened(unseen)
