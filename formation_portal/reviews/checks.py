"""Accept facts, undo an acceptance, and tell which agents have opened which documents.

Nobody should accept, or decide about, a document that they have not opened.
"""

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
from .transactions import DocumentsNotOpened, ReviewRefused, ReviewVersion, ReviewWork, review_transaction

# The columns that an account's name is made of.
_NAME_COLUMNS = ("first_name", "last_name", "email")


def accept(
    draft: Draft,
    targets: Collection[Target],
    *,
    by: AbstractBaseUser,
    version: ReviewVersion,
    acknowledged: Collection[int] | None = None,
) -> int:
    """Accept facts as they stand and resolve the queries that were sent about them. Returns how many were not accepted
    before.

    All or nothing: raises ReviewChanged where others have asked about one of them, or undone its acceptance, since the
    page was drawn; ReviewRefused where a query about one is drafted; DocumentsNotOpened where this agent has opened
    neither a document nor `acknowledged` that (None: this is not checked); Closed.
    """
    with review_transaction(draft, by=by, version=version) as work:
        checklist = load_checklist(draft)
        facts = [fact for fact in checklist if fact.target in set(targets)]
        _require_acceptable(work, checklist, facts)
        require_opened(draft, [fact for fact in facts if not fact.is_done], acknowledged, by=by)
        count = 0
        for fact in facts:
            for query in _queries_answered_by(checklist, fact):
                resolve_within(work, query)
            if not fact.is_done:
                _store_check(work, fact, fact.digest)
                count += 1
        return count


def reopen(draft: Draft, target: Target, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Undo the acceptance of a fact. Returns False where there is none.

    Raises ReviewChanged where somebody else has accepted it since the page was drawn, and Closed.
    """
    with review_transaction(draft, by=by, version=version) as work:
        fact = load_checklist(draft).at(target)
        if fact is None or fact.check is None or not fact.check.digest:
            return False
        work.require_unchanged(fact.check)
        _store_check(work, fact, "")
        return True


def _require_acceptable(work: ReviewWork, checklist: Checklist, facts: Collection[Fact]) -> None:
    for fact in facts:
        queries = _queries_answered_by(checklist, fact)
        # An agent who accepts what others have accepted meanwhile agrees with them.
        if not fact.is_done:
            for row in (fact.check, *queries):
                if row is not None:
                    work.require_unchanged(row)
        if any(query.is_draft for query in queries):
            raise ReviewRefused(f"There is a draft query about {fact.label}. Send or delete it first.")


def _queries_answered_by(checklist: Checklist, fact: Fact) -> list[Query]:
    """Return the open queries about a fact's target; for a section also those about its answers."""
    target = fact.target
    if target.kind is TargetKind.SECTION:
        return [query for query in checklist.queries if query.target == target or query.holder == target.holder]
    return [query for query in checklist.queries if query.target == target]


def _store_check(work: ReviewWork, fact: Fact, digest: str) -> None:
    values = work.authorship | {"label": fact.label[:MAX_LABEL], "digest": digest}
    application = work.draft.application
    check, _ = Check.objects.update_or_create(application=application, **fact.target.columns, defaults=values)
    work.done.append(("accept" if digest else "reopen", check))


@dataclass(frozen=True, slots=True)
class OpenedDocuments:
    """The accounts of the agents who have opened each document, by its number, and the names of these agents."""

    accounts: Mapping[int, tuple[int, ...]]
    names: Mapping[int, str]

    def names_of(self, document: int) -> tuple[str, ...]:
        """Return the names of the agents who have opened a document, the first one first."""
        accounts = self.accounts.get(document, ())
        return tuple(self.names[account] for account in accounts if self.names.get(account))

    def has_opened(self, document: int, agent: AbstractBaseUser) -> bool:
        return agent.pk in self.accounts.get(document, ())

    def with_opening(self, document: int, agent: Any) -> "OpenedDocuments":
        """Return a copy in which this agent has opened the document, too."""
        accounts = tuple(dict.fromkeys((*self.accounts.get(document, ()), agent.pk)))
        return OpenedDocuments({**self.accounts, document: accounts}, {**self.names, agent.pk: agent.called})


def opened_documents(draft: Draft) -> OpenedDocuments:
    """Read which agents have opened which documents of an application. One query."""
    account_model: Any = get_user_model()
    account_row = account_model.objects.filter(pk=OuterRef("account"))
    names_of_account = {name: Subquery(account_row.values(name)[:1]) for name in _NAME_COLUMNS}
    entries = accesses_by_agents(draft.application.reference).annotate(**names_of_account)
    accounts: dict[int, tuple[int, ...]] = {}
    names: dict[int, str] = {}
    for subject, account, detail, *name in entries.values_list("subject", "account", "detail", *_NAME_COLUMNS):
        if not is_document_access(subject, detail):
            continue
        document = int(subject)
        if account not in accounts.get(document, ()):
            accounts[document] = (*accounts.get(document, ()), account)
        # A deleted account has no e-mail address.
        names[account] = account_model(**dict(zip(_NAME_COLUMNS, name, strict=True))).called if name[-1] else ""
    return OpenedDocuments(accounts, names)


def require_opened(
    draft: Draft, facts: Iterable[Fact], acknowledged: Collection[int] | None, *, by: AbstractBaseUser
) -> None:
    """Raise DocumentsNotOpened where this agent has neither opened nor acknowledged a document of these facts.

    `acknowledged` are the keys of the documents that the agent goes on without; None checks nothing. One query, and
    none without a document.
    """
    if acknowledged is None:
        return
    documents = [(fact, fact.document.pk) for fact in facts if fact.document is not None]
    if not documents:
        return
    opened = opened_documents(draft)
    unopened = [(fact, number) for fact, number in documents if not opened.has_opened(number, by)]
    if any(number not in acknowledged for _, number in unopened):
        raise DocumentsNotOpened([fact for fact, _ in unopened])
