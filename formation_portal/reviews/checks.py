"""Accepting facts, and taking that back; and which agents have opened which documents, since nobody should accept, or
decide about, what nobody has looked at."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import OuterRef, QuerySet, Subquery

from formation_portal.applications.draft import Draft
from formation_portal.audit.models import Entry, accesses_by_agents, is_document_access

from .checklist import Checklist, Fact, load_checklist
from .models import MAX_LABEL, Check, Query
from .queries import resolve_within
from .targets import Target, TargetKind
from .transactions import DocumentsNotOpened, ReviewRefused, ReviewVersion, ReviewWork, review_transaction

# What an account is called by.
_NAMES = ("first_name", "last_name", "email")


def _looks(reference: str) -> QuerySet[Entry, Any]:
    person = get_user_model().objects.filter(pk=OuterRef("account"))
    named = {name: Subquery(person.values(name)[:1]) for name in _NAMES}
    return accesses_by_agents(reference).annotate(**named).values_list("subject", "account", "detail", *named)


def accept(
    draft: Draft,
    targets: Collection[Target],
    *,
    by: AbstractBaseUser,
    version: ReviewVersion,
    acknowledged: Collection[int] | None = None,
) -> int:
    """Accept facts as they stand and resolve the queries that were sent about them; how many were not accepted
    before.

    Raises ReviewChanged where others have asked about one of them, or undone its acceptance, since the page was
    drawn; ReviewRefused where this agent has drafted a query about one; DocumentsNotOpened where this agent has not
    opened a document that is not among the `acknowledged` ones (None: this is not checked); Closed. Then nothing is
    accepted.
    """
    with review_transaction(draft, by=by, version=version) as work:
        facts = load_checklist(draft)
        chosen = [fact for fact in facts if fact.target in set(targets)]
        _refuse_if_changed(work, facts, chosen)
        require_opened(draft, [fact for fact in chosen if not fact.is_done], acknowledged, by=by)
        for fact in chosen:
            for query in _queries_answered_by(facts, fact):
                resolve_within(work, query)
            if not fact.is_done:
                _store_check(work, fact, fact.digest)
        return sum(what == "accept" for what, _ in work.done)


def reopen(draft: Draft, target: Target, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Undo the acceptance of a fact; False where there is none. Raises ReviewChanged where somebody else has
    accepted it since the page was drawn; Closed."""
    with review_transaction(draft, by=by, version=version) as work:
        fact = load_checklist(draft).at(target)
        if fact is None or fact.check is None or not fact.check.digest:
            return False
        if work.is_changed_by_others(fact.check):
            raise work.outdated_error()
        _store_check(work, fact, "")
        return True


def _refuse_if_changed(work: ReviewWork, facts: Checklist, chosen: Collection[Fact]) -> None:
    for fact in chosen:
        asked = _queries_answered_by(facts, fact)
        touched = [row for row in (fact.check, *asked) if row is not None and work.is_changed_by_others(row)]
        # Whoever accepts what others have accepted meanwhile agrees with them.
        if touched and not fact.is_done:
            raise work.outdated_error()
        if any(query.is_draft for query in asked):
            raise ReviewRefused(f"There is a draft query about {fact.label}. Send or delete it first.")


def _queries_answered_by(facts: Checklist, fact: Fact) -> list[Query]:
    """The open queries that accepting a fact answers: those about its target, for a section also about its answers."""
    target = fact.target
    is_within = target.kind is TargetKind.SECTION
    return [one for one in facts.queries if one.target == target or (is_within and one.holder == target.holder)]


def _store_check(work: ReviewWork, fact: Fact, digest: str) -> None:
    kept = work.authorship | {"label": fact.label[:MAX_LABEL], "digest": digest}
    application = work.draft.application
    check, _ = Check.objects.update_or_create(application=application, **fact.target.columns, defaults=kept)
    work.note_done("accept" if digest else "reopen", check)


@dataclass(frozen=True, slots=True)
class OpenedDocuments:
    """Who has opened each document: the accounts by the documents' numbers, and what those agents are called."""

    accounts: Mapping[int, tuple[int, ...]]
    names: Mapping[int, str]

    def names_of(self, document: int) -> tuple[str, ...]:
        """The names of the agents who have opened it, the first one first."""
        return tuple(self.names[one] for one in self.accounts.get(document, ()) if self.names.get(one))

    def has_opened(self, document: int, agent: AbstractBaseUser) -> bool:
        return agent.pk in self.accounts.get(document, ())

    def with_one_more(self, document: int, agent: Any) -> "OpenedDocuments":
        """The same once this agent has opened the document."""
        accounts = dict.fromkeys((*self.accounts.get(document, ()), agent.pk))
        return OpenedDocuments({**self.accounts, document: tuple(accounts)}, {**self.names, agent.pk: agent.called})


def opened_documents(draft: Draft) -> OpenedDocuments:
    """Who has opened what of an application: one query."""
    account_model: Any = get_user_model()
    accounts: dict[int, dict[int, None]] = {}
    names: dict[int, str] = {}
    for subject, account, detail, *name in _looks(draft.application.reference):
        if is_document_access(subject, detail):
            accounts.setdefault(int(subject), {})[account] = None
            names[account] = account_model(**dict(zip(_NAMES, name, strict=True))).called if name[-1] else ""
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
