"""The copy of each case that the queue reads, kept up to date in the transaction that changes the application, its
review, or the name and e-mail address of its customer.

Words are folded, the same for any spelling of capitals, accents and hyphens; and of each beginning of a word a digest
is kept, whose key the database has not.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime, time
from typing import Any

from django.conf import settings
from django.db.models import F, Model, QuerySet
from django.utils import timezone
from django.utils.timezone import localdate, make_aware

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
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.models import ReviewDecision, ServiceStatus
from formation_portal.reviews.transactions import UNDER_REVIEW, waiting_decision

from ..models import PLACE_LIMIT, TITLE_LIMIT, Case, CaseWord, Offer, Opening
from .claims import UNCLAIMED, give_back
from .notices import send_notice

# What a column holds, and more than anybody waits.
_MAX_DAYS = 30_000
_CLOCK = ("target_days", "waited_days", "overdue_at")
_WITH_US = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW})


def update_case(draft: Draft, change: Change | None = None) -> list[Model]:
    """Bring the case of a submitted application up to date after `change`, and return the rows to attest.

    At most six queries; four more make a new case, and two count its checks.
    """
    application, state = draft.application, draft.application.status
    if application.submitted_at is None or application.deleted_at is not None:
        return []
    is_final, at = state in FINAL, application.submitted_at
    is_with_us = state in _WITH_US and application.payment_due_since is None
    place = str(application.product.get("jurisdiction", {}).get("name", ""))[:PLACE_LIMIT]
    facts: dict[str, Any] = {
        "title": canonical.entity_name(draft.entity_raw)[:TITLE_LIMIT],
        "state": state.value,
        "submitted_at": at,
        "open_since": None if is_final else at,
        "closed_since": at if is_final else None,
        "waiting_since": at if is_with_us else None,
        "answered_since": at if is_with_us and application.submissions > 1 else None,
        "parties": len(draft.parties),
        "documents": len(draft.documents),
        "product": application.product_id,
        "place": place,
        "changed_at": timezone.now(),
        # Nobody works on what is closed.
        **(UNCLAIMED if is_final else {}),
    }
    if state not in UNDER_REVIEW:
        # A decision that waited is replaced.
        facts |= {"confirm_since": None, "proposed_by_id": None, "refused_at": None}
    case = Case.objects.select_for_update().filter(pk=application.pk).first()
    is_new, case = case is None, case or Case(application=application)
    was_waiting_since = case.waiting_since
    if not is_with_us and not is_final:
        facts["waiting_since"] = case.service_status_since
    if change is None or change.moved_to != State.IN_REVIEW:
        # That a review begins says no more than the claim.
        facts |= {"version": case.version + 1, "changed_by_id": change.who_id if change else None}
    if is_with_us and (was_waiting_since != facts["waiting_since"] or not case.checks_all):
        # Its customer changes nothing while it is with us, and agents no answers.
        facts |= _checks(draft)
    for name, value in facts.items():
        setattr(case, name, value)
    _update_due_date(case, application, was_waiting_since=was_waiting_since)
    case.save(force_insert=is_new, update_fields=None if is_new else [*facts, *_CLOCK])
    if is_new:
        # The filters offer what it is for; what it is called there last counts.
        name = str(application.product.get("product", {}).get("name", "")) or application.product_id
        offered = {"name": name[:TITLE_LIMIT], "place": place}
        Offer.objects.update_or_create(product=application.product_id, defaults=offered)
    _update_words(draft, title=facts["title"])
    return [Case(pk=application.pk, **UNCLAIMED)] if is_final else []


def delete_case(application: Application) -> None:
    """What the desk keeps of an application that is erased: its row, what finds it, and who has had it open."""
    Case.objects.filter(pk=application.pk).delete()
    Opening.objects.filter(application=application).delete()


def _update_words(draft: Draft, *, title: str) -> None:
    """Bring the words that find the case up to date. While its customer corrects it, words are only added: agents find
    it by the names that they know until it comes back."""
    application = draft.application
    wanted = case_words(application, draft.schema, draft.party_models, title=title)
    stored = {bytes(word) for word in CaseWord.objects.filter(case=application.pk).values_list("word", flat=True)}
    _replace_words(application.pk, set() if application.is_open else stored - wanted, wanted - stored)


def _checks(draft: Draft) -> dict[str, int]:
    """How many checks are done of how many: two queries."""
    facts = list(load_checklist(draft))
    return {"checks_done": sum(fact.is_done for fact in facts), "checks_all": len(facts)}


def update_review(draft: Draft, *, by: Any) -> None:
    """The case after a change of its review: three queries."""
    changed = {"version": F("version") + 1, "changed_by": by, "changed_at": timezone.now()}
    Case.objects.filter(pk=draft.application.pk).update(**changed, **_checks(draft))


def update_service_status(draft: Draft, status: ServiceStatus | None) -> None:
    """Show in the queue that a status of the formation service waits for an agent, or that none does: the case waits
    for us then, also while the registry or the customer has it."""
    application = draft.application
    case = Case.objects.select_for_update().filter(pk=application.pk).first()
    if case is None:
        return
    was_waiting_since = case.waiting_since
    case.service_status = status.status if status else ""
    case.service_status_since = status.received_at if status else None
    if application.status not in _WITH_US | FINAL:
        case.waiting_since = case.service_status_since
        _update_due_date(case, application, was_waiting_since=was_waiting_since)
    case.save(update_fields=["service_status", "service_status_since", "waiting_since", *_CLOCK])


def _update_due_date(case: Case, application: Application, *, was_waiting_since: datetime | None) -> None:
    """Bring the case's clock up to date: it counts working days while the case is with us, and stands still while its
    customer or the registry has it. The target is the product's own, where its timeline tells one."""
    timeline = str(application.product.get("estimated_timeline") or "")
    least, _ = working_days(timeline) or (0, 0)
    case.target_days = min(least or settings.OVERDUE_DAYS, _MAX_DAYS)
    if was_waiting_since is not None and was_waiting_since != case.waiting_since:
        days = working_days_between(localdate(was_waiting_since), localdate())
        case.waited_days = min(case.waited_days + days, _MAX_DAYS)
    # The beginning of the day on which it has waited for as long as it may.
    case.overdue_at, left = case.waiting_since, case.target_days - case.waited_days
    if case.waiting_since is not None and left > 0:
        day = working_days_after(localdate(case.waiting_since), left)
        case.overdue_at = make_aware(datetime.combine(day, time.min))


def update_waiting_decision(application: Application) -> None:
    """Keep in the case whether a decision waits for a second agent, and whose. Two queries."""
    waiting = waiting_decision(application)
    since = application.submitted_at if waiting else None
    by = waiting.proposed_by_id if waiting else None
    # What was refused before is decided anew by now, or is said by `give_back_refused`.
    Case.objects.filter(pk=application.pk).update(confirm_since=since, proposed_by=by, refused_at=None)


def give_back_refused(draft: Draft, decision: ReviewDecision, by: Any) -> None:
    """The case goes back to whoever proposed it: claimed by them and marked in their queue; and they get a letter."""
    application, proposer = draft.application, decision.proposed_by
    if not (proposer.is_active and proposer.is_agent):
        return
    give_back(application, to=proposer, by=by)
    Case.objects.filter(pk=application.pk).update(refused_at=decision.at)
    send_notice("proposal_refused", draft, to=proposer, by=by)


def case_words(application: Application, schema: FormSchema, parties: Iterable[Party], *, title: str) -> set[bytes]:
    """What finds the case: company, people as typed, reference, and its customer's name and address."""
    typed = [party.raw.get(spec.name) for party in parties for spec in name_fields(schema, party.kind)]
    names, owner = [name for name in typed if isinstance(name, str)], application.owner
    return search_words((title, *names, application.reference, owner.first_name, owner.last_name, owner.email))


# Letters that Unicode doesn't take apart into a plain one and a mark.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"})
WORD_PIECES = re.compile(r"[^\W_]+")
# Letters of a word's beginning that find it, and bytes of a digest.
_LONGEST, _DIGEST_BYTES = 12, 10


def fold(text: str) -> str:
    """Without capitals and accents."""
    apart = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    return "".join(letter for letter in unicodedata.normalize("NFKD", apart) if not unicodedata.combining(letter))


def search_words(texts: Iterable[str]) -> set[bytes]:
    """What finds the texts: each word of theirs, and words with hyphens or points also as one: Jean-Luc, S.R.L."""
    found: set[str] = set()
    for term in " ".join(map(fold, texts)).split():
        pieces = WORD_PIECES.findall(term)
        found.update((*pieces, "".join(pieces)))
    key = key_ring().first
    beginnings = {word[:length] for word in found for length in range(1, min(len(word), _LONGEST) + 1)}
    return {key.digest(one)[:_DIGEST_BYTES] for one in beginnings}


def stored_digests(beginning: str) -> list[bytes]:
    """How the index has the beginning of a word, under each key that is in use."""
    return [key.digest(beginning[:_LONGEST])[:_DIGEST_BYTES] for key in key_ring()]


# So many cases are read at once.
_AT_ONCE = 200


@rotation_task
def rewrite_all_words() -> None:
    """Write the words of every case under the newest key."""
    _rewrite_words(Case.objects.all())


def rewrite_words_of_owner(owner: User) -> None:
    """Write the words of a customer's cases by the name and the address that the account has now."""
    _rewrite_words(Case.objects.filter(application__owner=owner))


def _rewrite_words(cases: "QuerySet[Case]") -> None:
    cases = cases.select_related("application__owner").order_by("pk")
    last = 0
    while batch := list(cases.filter(pk__gt=last).prefetch_related("application__parties", "words")[:_AT_ONCE]):
        for case in batch:
            stored = {bytes(row.word) for row in case.words.all()}
            parties = [party for party in case.application.parties.all() if party.removed_at is None]
            schema = load_schema(case.application.schema_version_id)
            try:
                wanted = case_words(case.application, schema, parties, title=case.title)
            except UnreadableError:
                # It is counted by `rotate_keys`, and its words are found under the earlier key until then.
                continue
            _replace_words(case.pk, stored - wanted, wanted - stored)
        last = batch[-1].pk


def _replace_words(case_id: int, gone: set[bytes], new: set[bytes]) -> None:
    if gone:
        CaseWord.objects.filter(case=case_id, word__in=gone).delete()
    rows = [CaseWord(case_id=case_id, word=word) for word in sorted(new)]
    CaseWord.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)
