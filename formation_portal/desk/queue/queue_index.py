"""Keep the rows of the queue up to date, in the transaction of the change (workflow.py).

Keyed digests of the beginnings of words, folded to one spelling, make a case searchable.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime, time
from typing import Any

from django.conf import settings
from django.db.models import F, Model, QuerySet
from django.utils import timezone
from django.utils.timezone import get_default_timezone, make_aware

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft, load_schema
from formation_portal.applications.models import Application, Change, Party
from formation_portal.applications.parties import name_fields
from formation_portal.contract import canonical
from formation_portal.contract.catalog import working_days, working_days_after, working_days_between
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.contract.schema import FormSchema
from formation_portal.core.encryption import UnreadableError, key_ring
from formation_portal.core.key_rotation import rotation_task
from formation_portal.core.time_zones import operators_day
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.models import ReviewDecision, ServiceStatus
from formation_portal.reviews.transactions import UNDER_REVIEW, waiting_decision

from ..models import PLACE_LIMIT, TITLE_LIMIT, Case, CaseWord, Offer, Opening
from .claims import UNCLAIMED, give_back
from .notices import send_notice

# Longer than any wait, and within the range of the column.
_MAX_DAYS = 30_000
_CLOCK = ("target_days", "waited_days", "overdue_at")
_NO_PROPOSAL = {"confirm_since": None, "proposed_by_id": None, "refused_at": None}


def update_case(draft: Draft, change: Change | None = None) -> list[Model]:
    """Update the case of a submitted application after `change`, and return the rows to attest: a closed case without
    its claim. At most six SQL queries; four more for a new case, and two where its checks are counted."""
    application = draft.application
    if application.submitted_at is None or application.deleted_at is not None:
        return []
    stored_case = Case.objects.select_for_update().filter(pk=application.pk).first()
    case = stored_case or Case(application=application)
    was_waiting_since = case.waiting_since
    columns = _columns(draft, case, change)
    for name, value in columns.items():
        setattr(case, name, value)
    _update_due_date(case, application, was_waiting_since=was_waiting_since)
    if stored_case:
        case.save(update_fields=[*columns, *_CLOCK])
    else:
        case.save(force_insert=True)
        # The filters list a product by its latest name.
        name = str(application.product.get("product", {}).get("name", "")) or application.product_id
        defaults = {"name": name[:TITLE_LIMIT], "place": case.place}
        Offer.objects.update_or_create(product=application.product_id, defaults=defaults)
    digests = case_words(application, draft.schema, draft.party_models, title=case.title)
    stored = {bytes(word) for word in CaseWord.objects.filter(case=application.pk).values_list("word", flat=True)}
    # While the customer corrects the case, old words stay: agents search by the names they know.
    outdated = set() if application.is_open else stored - digests
    _replace_words(application.pk, outdated, digests - stored)
    return [Case(pk=application.pk, **UNCLAIMED)] if application.status in FINAL else []


def _columns(draft: Draft, case: Case, change: Change | None) -> dict[str, Any]:
    """Return the columns that a change of the application may alter. `case` is the row before the change."""
    application = draft.application
    state = application.status
    submitted_at = application.submitted_at
    is_with_us = state in UNDER_REVIEW and application.payment_due_since is None
    columns: dict[str, Any] = {
        "title": canonical.entity_name(draft.entity_raw)[:TITLE_LIMIT],
        "state": state.value,
        "submitted_at": submitted_at,
        "open_since": submitted_at,
        "closed_since": None,
        "waiting_since": case.service_status_since,
        "answered_since": None,
        "parties": len(draft.parties),
        "documents": len(draft.documents),
        "product": application.product_id,
        "place": str(application.product.get("jurisdiction", {}).get("name", ""))[:PLACE_LIMIT],
        "changed_at": timezone.now(),
    }
    if state in FINAL:
        columns |= UNCLAIMED | {"open_since": None, "closed_since": submitted_at, "waiting_since": None}
    elif is_with_us:
        columns["waiting_since"] = submitted_at
        if application.submissions > 1:
            columns["answered_since"] = submitted_at
    if state not in UNDER_REVIEW:
        # A waiting decision is replaced.
        columns |= _NO_PROPOSAL
    # The claim already tells that the review has begun.
    if change is None or change.moved_to != State.IN_REVIEW:
        columns |= {"version": case.version + 1, "changed_by_id": change.who_id if change else None}
    # Answers do not change while a case is with us, so count its checks once.
    if is_with_us and (case.waiting_since != submitted_at or not case.checks_all):
        columns |= _count_checks(draft)
    return columns


def delete_case(application: Application) -> None:
    Case.objects.filter(pk=application.pk).delete()
    Opening.objects.filter(application=application).delete()


def _count_checks(draft: Draft) -> dict[str, int]:
    facts = list(load_checklist(draft))
    return {"checks_done": sum(fact.is_done for fact in facts), "checks_all": len(facts)}


def update_review(draft: Draft, *, by: Any) -> None:
    """Update the case after a change of its review. Three SQL queries."""
    changed = {"version": F("version") + 1, "changed_by": by, "changed_at": timezone.now()}
    Case.objects.filter(pk=draft.application.pk).update(**changed, **_count_checks(draft))


def update_service_status(draft: Draft, status: ServiceStatus | None) -> None:
    """Store the service's status that waits for an agent, if any; the case then waits for us."""
    application = draft.application
    case = Case.objects.select_for_update().filter(pk=application.pk).first()
    if case is None:
        return
    was_waiting_since = case.waiting_since
    case.service_status = status.status if status else ""
    case.service_status_since = status.received_at if status else None
    if application.status not in UNDER_REVIEW | FINAL:
        case.waiting_since = case.service_status_since
        _update_due_date(case, application, was_waiting_since=was_waiting_since)
    case.save(update_fields=["service_status", "service_status_since", "waiting_since", *_CLOCK])


def _update_due_date(case: Case, application: Application, *, was_waiting_since: datetime | None) -> None:
    """Update the clock of the case, which counts working days while the case is with us. The product's timeline sets
    the target."""
    timeline = str(application.product.get("estimated_timeline") or "")
    least, _ = working_days(timeline) or (0, 0)
    case.target_days = min(least or settings.OVERDUE_DAYS, _MAX_DAYS)
    if was_waiting_since is not None and was_waiting_since != case.waiting_since:
        days = working_days_between(operators_day(was_waiting_since), operators_day())
        case.waited_days = min(case.waited_days + days, _MAX_DAYS)
    remaining = case.target_days - case.waited_days
    case.overdue_at = case.waiting_since
    if case.waiting_since is not None and remaining > 0:
        day = working_days_after(operators_day(case.waiting_since), remaining)
        case.overdue_at = make_aware(datetime.combine(day, time.min), get_default_timezone())


def update_waiting_decision(application: Application) -> None:
    """Store whether a decision waits for a second agent, and its proposer. Two SQL queries."""
    # A new decision replaces a refused one; `give_back_refused` sets its time afterwards.
    columns: dict[str, Any] = dict(_NO_PROPOSAL)
    if waiting := waiting_decision(application):
        columns |= {"confirm_since": application.submitted_at, "proposed_by_id": waiting.proposed_by_id}
    Case.objects.filter(pk=application.pk).update(**columns)


def give_back_refused(draft: Draft, decision: ReviewDecision, by: Any) -> None:
    """Give the case back to the agent whose proposal was refused, mark the case, and e-mail the agent."""
    proposer = decision.proposed_by
    if not (proposer.is_active and proposer.is_agent):
        return
    give_back(draft.application, to=proposer, by=by)
    Case.objects.filter(pk=draft.application.pk).update(refused_at=decision.at)
    send_notice("proposal_refused", draft, to=proposer, by=by)


def case_words(application: Application, schema: FormSchema, parties: Iterable[Party], *, title: str) -> set[bytes]:
    """Return the search digests of a case: company, people, reference, and customer's name and e-mail."""
    owner = application.owner
    texts = [title, application.reference, owner.first_name, owner.last_name, owner.email]
    for party in parties:
        for spec in name_fields(schema, party.kind):
            name = party.raw.get(spec.name)
            if isinstance(name, str):
                texts.append(name)
    return search_words(texts)


# Letters that Unicode does not decompose.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"})
WORD_PIECES = re.compile(r"[^\W_]+")
# The most letters of an indexed beginning, and the bytes of a digest.
_MAX_LETTERS = 12
_DIGEST_BYTES = 10


def fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    return "".join(letter for letter in unicodedata.normalize("NFKD", decomposed) if not unicodedata.combining(letter))


def search_words(texts: Iterable[str]) -> set[bytes]:
    """Return the digests of all beginnings of words; Jean-Luc and S.R.L. also count as single words."""
    beginnings: set[str] = set()
    for term in " ".join(map(fold, texts)).split():
        pieces = WORD_PIECES.findall(term)
        for word in (*pieces, "".join(pieces)):
            beginnings.update(word[:length] for length in range(1, min(len(word), _MAX_LETTERS) + 1))
    key = key_ring().first
    return {key.digest(beginning)[:_DIGEST_BYTES] for beginning in beginnings}


def stored_digests(beginning: str) -> list[bytes]:
    """Return the digest of the beginning of a word under each key in use."""
    return [key.digest(beginning[:_MAX_LETTERS])[:_DIGEST_BYTES] for key in key_ring()]


_BATCH_SIZE = 200


@rotation_task
def rewrite_all_words() -> None:
    _rewrite_words(Case.objects.all())


def rewrite_words_of_owner(owner: User) -> None:
    """Rewrite the words of a customer's cases with the present name and e-mail address."""
    _rewrite_words(Case.objects.filter(application__owner=owner))


def _rewrite_words(cases: "QuerySet[Case]") -> None:
    cases = cases.select_related("application__owner").order_by("pk")
    last = 0
    while batch := list(cases.filter(pk__gt=last).prefetch_related("application__parties", "words")[:_BATCH_SIZE]):
        for case in batch:
            stored = {bytes(row.word) for row in case.words.all()}
            parties = [party for party in case.application.parties.all() if party.removed_at is None]
            schema = load_schema(case.application.schema_version_id)
            try:
                digests = case_words(case.application, schema, parties, title=case.title)
            except UnreadableError:
                # `rotate_keys` counts the case as left; the old key finds its words until then.
                continue
            _replace_words(case.pk, stored - digests, digests - stored)
        last = batch[-1].pk


def _replace_words(case_id: int, gone: set[bytes], new: set[bytes]) -> None:
    if gone:
        CaseWord.objects.filter(case=case_id, word__in=gone).delete()
    rows = [CaseWord(case_id=case_id, word=word) for word in sorted(new)]
    CaseWord.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)
