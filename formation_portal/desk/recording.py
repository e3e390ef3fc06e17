"""Keeps the desk's copy of a submitted application up to date, in the transaction that changes it."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver
from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import name_fields
from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.contract.schema import FormSchema
from formation_portal.mail import queue_letter
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision
from formation_portal.reviews.transactions import UNDER_REVIEW

from .claims import UNCLAIMED, claim_at_work, give_back
from .due import run_clock
from .models import PLACE_LIMIT, TITLE_LIMIT, Case, CaseWord, Offer
from .search_words import words_of

_CLOCK = ("target_days", "waited_days", "overdue_at")
_WITH_US = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW})


def record(draft: Draft) -> None:
    """The case as the application stands now; a draft that was never submitted is none. At most six queries;
    four more make a new one."""
    application = draft.application
    if application.submitted_at is None or application.deleted_at is not None:
        return
    facts = facts_of(application, title=title_of(draft.entity_raw))
    facts |= {"parties": len(draft.party_models), "documents": len(draft.documents)} | kind_of(application)
    if application.status not in UNDER_REVIEW:
        # A decision that waited is overtaken.
        facts |= {"confirm_since": None, "proposed_by_id": None, "refused_at": None}
    case = Case.objects.select_for_update().filter(pk=application.pk).first()
    is_new, case = case is None, case or Case(application=application)
    was_waiting_since = case.waiting_since
    for name, value in facts.items():
        setattr(case, name, value)
    run_clock(case, application, was_waiting_since=was_waiting_since)
    case.save(force_insert=is_new, update_fields=None if is_new else [*facts, *_CLOCK])
    if is_new:
        offer(Offer, application)
    if application.status in FINAL:
        draft.audited_rows.append(Case(pk=application.pk, **UNCLAIMED))
    names = party_names(draft.schema, draft.party_models)
    _record_words(application.pk, case_words(application, title=facts["title"], names=names))


@receiver(post_save, sender=ReviewDecision)
def record_what_waits(instance: ReviewDecision, **_: Any) -> None:
    """Whether a decision waits for a second agent, and whose: one update, as often as somebody decides."""
    is_waiting = instance.outcome == DecisionOutcome.WAITING
    since = instance.application.submitted_at if is_waiting else None
    by = instance.proposed_by_id if is_waiting else None
    # What was refused before is decided anew by now, or is said by `give_back_what_is_refused`.
    Case.objects.filter(pk=instance.application_id).update(confirm_since=since, proposed_by=by, refused_at=None)


def give_back_what_is_refused(draft: Draft, ruling: ReviewDecision, by: Any) -> None:
    """The case goes back to whoever proposed it: claimed by them and marked in their queue; and they get a letter."""
    application, proposer = draft.application, ruling.proposed_by
    if not (proposer.is_active and proposer.is_agent):
        return
    give_back(application, to=proposer, by=by)
    Case.objects.filter(pk=application.pk).update(refused_at=ruling.at)
    context = {
        "name": by.called,
        "company": draft.title,
        "reference": application.reference,
        "link": reverse("desk:review", args=[application.reference]),
    }
    queue_letter(kind="proposal_refused", to=proposer.email, language="en", context=context)


def claim_what_is_worked_on(draft: Draft, by: Any) -> None:
    """Whoever checks, accepts, asks or notes something works on the case: it is theirs where it was nobody's."""
    claim_at_work(draft, by=by)


def _record_words(case_id: int, wanted: set[bytes]) -> None:
    """Write only what differs: most changes of a case change no name."""
    there = {bytes(word) for word in CaseWord.objects.filter(case=case_id).values_list("word", flat=True)}
    if gone := there - wanted:
        CaseWord.objects.filter(case=case_id, word__in=gone).delete()
    CaseWord.objects.bulk_create(CaseWord(case_id=case_id, word=word) for word in sorted(wanted - there))


def facts_of(application: Any, *, title: str) -> dict[str, Any]:
    """What the case copies of its application, which may also be one as a migration knows it."""
    state, at = State(application.state), application.submitted_at
    is_with_us = state in _WITH_US
    return {
        "title": title[:TITLE_LIMIT],
        "state": state.value,
        "submitted_at": at,
        "open_since": None if state in FINAL else at,
        "closed_since": at if state in FINAL else None,
        "waiting_since": at if is_with_us else None,
        "answered_since": at if is_with_us and application.submissions > 1 else None,
        # Nobody works on what is closed.
        **(UNCLAIMED if state in FINAL else {}),
    }


def kind_of(application: Any) -> dict[str, str]:
    """The product and the place of an application, which never change. Also of one as a migration knows it."""
    place = str(application.product.get("jurisdiction", {}).get("name", ""))
    return {"product": application.product_id, "place": place[:PLACE_LIMIT]}


def offer(model: Any, application: Any) -> None:
    """Let the filters offer what the application is for; what it is called there last counts."""
    name = str(application.product.get("product", {}).get("name", "")) or application.product_id
    model.objects.update_or_create(
        product=application.product_id, defaults={"name": name[:TITLE_LIMIT], "place": kind_of(application)["place"]}
    )


def title_of(entity_raw: Mapping[str, Any]) -> str:
    """The name that its customer chose first, as typed, with its ending; empty before that."""
    return canonical.entity_name(entity_raw)


def party_names(schema: FormSchema, parties: Iterable[Any]) -> list[str]:
    """The names of everybody in it, as typed."""
    typed = [party.raw.get(spec.name) for party in parties for spec in name_fields(schema, party.kind)]
    return [name for name in typed if isinstance(name, str)]


def case_words(application: Any, *, title: str, names: Iterable[str]) -> set[bytes]:
    """What finds the case: company, people, reference, and its customer's name and address."""
    owner = application.owner
    return words_of((title, *names, application.reference, owner.first_name, owner.last_name, owner.email))
