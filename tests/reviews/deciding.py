"""Decisions whose time to undo them is over: what a worker does ten seconds after an agent has decided."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.reviews import decisions
from formation_portal.reviews.models import ReviewDecision
from formation_portal.reviews.scheduled_decisions import carry_out_due

_LATER = timedelta(seconds=11)


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
