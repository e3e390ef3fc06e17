"""Accept facts, undo an acceptance, and tell which agents have opened which documents."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import OuterRef, Subquery

from formation_portal.applications.draft import Draft
from formation_portal.audit.models import accesses_by_agents, is_document_access

from .checklist import Checklist, Fact, load_checklist
from .models import MAX_LABEL, Check, Query
from .queries import resolve_within
from .targets import Target, TargetKind
from .transactions import DocumentsNotOpened, ReviewRefused, ReviewVersion, review_transaction

# The columns that form an account's name.
_NAME_COLUMNS = ("first_name", "last_name", "email")


def accept(
    draft: Draft,
    targets: Collection[Target],
    *,
    by: AbstractBaseUser,
    version: ReviewVersion,
    acknowledged: Collection[int] | None = None,
) -> int:
    """Accept facts as they stand and resolve the queries sent about the facts. Returns how many facts were
    not accepted before.

    All or nothing: raises ReviewChanged, ReviewRefused where a query about a fact is drafted,
    DocumentsNotOpened (`require_opened`) and Closed.
    """
    with review_transaction(draft, by=by, version=version) as work:
        checklist = load_checklist(draft)
        facts = [fact for fact in checklist if fact.target in set(targets)]
        for fact in facts:
            queries = _queries_answered_by(checklist, fact.target)
            # Accepting a fact that others have accepted meanwhile is no conflict.
            if not fact.is_done:
                for row in (fact.check, *queries):
                    if row is not None:
                        work.require_unchanged(row)
            if any(query.is_draft for query in queries):
                raise ReviewRefused(f"There is a draft query about {fact.label}. Send or delete it first.")
        unaccepted = [fact for fact in facts if not fact.is_done]
        require_opened(draft, unaccepted, acknowledged, by=by)
        for fact in facts:
            for query in _queries_answered_by(checklist, fact.target):
                resolve_within(work, query)
        for fact in unaccepted:
            check = fact.check or Check(application=draft.application, **fact.target.columns)
            work.save(check, "accept", label=fact.label[:MAX_LABEL], digest=fact.digest)
        return len(unaccepted)


def reopen(draft: Draft, target: Target, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Undo the acceptance of a fact. Returns False if there is none. Raises ReviewChanged and Closed."""
    with review_transaction(draft, by=by, version=version) as work:
        fact = load_checklist(draft).at(target)
        if fact is None or fact.check is None or not fact.check.digest:
            return False
        work.require_unchanged(fact.check)
        work.save(fact.check, "reopen", label=fact.label[:MAX_LABEL], digest="")
        return True


def _queries_answered_by(checklist: Checklist, target: Target) -> list[Query]:
    """Return the open queries about a target; for a section also the queries about its answers."""
    holder = target.holder if target.kind is TargetKind.SECTION else None
    return [query for query in checklist.queries if query.target == target or query.holder == holder]


@dataclass(frozen=True, slots=True)
class OpenedDocuments:
    """The agents who have opened each document, by its key: names by account ids, "" for a deleted account."""

    accounts: Mapping[int, Mapping[int, str]]

    def names_of(self, document: int) -> tuple[str, ...]:
        return tuple(filter(None, self.accounts.get(document, {}).values()))

    def has_opened(self, document: int, agent: AbstractBaseUser) -> bool:
        return agent.pk in self.accounts.get(document, {})

    def with_opening(self, document: int, agent: Any) -> "OpenedDocuments":
        openers = {**self.accounts.get(document, {}), agent.pk: agent.called}
        return OpenedDocuments({**self.accounts, document: openers})


def opened_documents(draft: Draft) -> OpenedDocuments:
    """Read which agents have opened which documents of an application. One SQL query."""
    account_model: Any = get_user_model()
    account_row = account_model.objects.filter(pk=OuterRef("account"))
    names_of_account = {name: Subquery(account_row.values(name)[:1]) for name in _NAME_COLUMNS}
    entries = accesses_by_agents(draft.application.reference).annotate(**names_of_account)
    accounts: dict[int, dict[int, str]] = defaultdict(dict)
    for subject, account, detail, *name in entries.values_list("subject", "account", "detail", *_NAME_COLUMNS):
        if is_document_access(subject, detail):
            # A deleted account has no e-mail address.
            agent = account_model(**dict(zip(_NAME_COLUMNS, name, strict=True)))
            accounts[int(subject)][account] = agent.called if agent.email else ""
    return OpenedDocuments(accounts)


def require_opened(
    draft: Draft, facts: Iterable[Fact], acknowledged: Collection[int] | None, *, by: AbstractBaseUser
) -> None:
    """Raise DocumentsNotOpened where this agent has not opened a document of these facts whose key is not in
    `acknowledged`. If that is None, check nothing. One SQL query, none without documents."""
    documents = {fact.document.pk: fact for fact in facts if fact.document is not None}
    if acknowledged is None or not documents:
        return
    opened = opened_documents(draft)
    unopened = {number: fact for number, fact in documents.items() if not opened.has_opened(number, by)}
    if not unopened.keys() <= set(acknowledged):
        raise DocumentsNotOpened(list(unopened.values()))
