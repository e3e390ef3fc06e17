"""What agents do on pages that they open now, and decisions whose time to undo them is over."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.reviews import decisions
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept
from formation_portal.reviews.models import Query, ReviewDecision
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.scheduled_decisions import carry_out_due
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import ReviewVersion, current_version

_LATER = timedelta(seconds=11)


def now(draft: Draft) -> ReviewVersion:
    """Return the version that a page of the review has which is opened now."""
    return current_version(draft.application)


def check(draft: Draft, *targets: Target, by: Any) -> int:
    """Accept some facts, or else all of them, on a page that is opened now."""
    return accept(draft, list(targets) or [fact.target for fact in load_checklist(draft)], by=by, version=now(draft))


def ask(draft: Draft, target: Target, text: str, *, by: Any, **more: Any) -> Query:
    """Draft a query on a page that is opened now, or on one that has another version."""
    return draft_query(draft, target, text=text, by=by, **{"version": now(draft)} | more)


def let_decisions_take_effect() -> int:
    """Carry out what is scheduled, as a worker does eleven seconds from now. Returns how many took effect."""
    return carry_out_due(now=timezone.now() + _LATER)


def decide(draft: Draft, decision: str, **details: Any) -> ReviewDecision:
    """Decide, and let the decision take effect. The draft is read again, as the next page would."""
    return _after_it_took_effect(draft, decisions.decide(draft, decision, **details))


def confirm_proposal(draft: Draft, **details: Any) -> ReviewDecision:
    """Confirm a colleague's proposal, and let the decision take effect."""
    return _after_it_took_effect(draft, decisions.confirm_proposal(draft, **details))


def _after_it_took_effect(draft: Draft, decision: ReviewDecision) -> ReviewDecision:
    let_decisions_take_effect()
    draft.application.refresh_from_db()
    draft.reload()
    decision.refresh_from_db()
    return decision
