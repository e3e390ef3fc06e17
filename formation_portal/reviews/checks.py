"""Accepting facts, and taking that back."""

from collections.abc import Collection

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.applications.draft import Draft

from .facts import Fact, Facts, facts_of
from .models import LABEL_LIMIT, Check, Remark
from .places import Kind, Place
from .refusals import Refused
from .remarks import settle_in
from .reviewing import Work, reviewing
from .seen import ask_about_unseen
from .since import Sight


def accept(
    draft: Draft,
    places: Collection[Place],
    *,
    by: AbstractBaseUser,
    sight: Sight,
    unseen: Collection[int] | None = None,
) -> int:
    """Accept facts as they stand; how many were not yet. Questions that were sent about them are settled.

    Raises Overtaken where others have asked about one of them, or taken its acceptance back, since the page was drawn;
    Refused where a question is drafted about one by whoever accepts it; Unseen where they have not opened a document
    that is not among the `unseen` ones (None: that is not asked); Closed. Then nothing is accepted.
    """
    with reviewing(draft, by=by, sight=sight) as work:
        facts = facts_of(draft)
        chosen = [fact for fact in facts if fact.place in set(places)]
        _look(work, facts, chosen)
        ask_about_unseen(draft, [fact for fact in chosen if not fact.is_done], unseen, by=by)
        for fact in chosen:
            for remark in _asked(facts, fact):
                settle_in(work, remark)
            if not fact.is_done:
                _keep(work, fact, fact.digest)
        return sum(what == "accept" for what, _ in work.done)


def reopen(draft: Draft, place: Place, *, by: AbstractBaseUser, sight: Sight) -> bool:
    """Take the acceptance of a fact back; False where there is none. Raises Overtaken where somebody else accepted it
    since the page was drawn; Closed."""
    with reviewing(draft, by=by, sight=sight) as work:
        fact = facts_of(draft).at(place)
        if fact is None or fact.check is None or not fact.check.digest:
            return False
        if work.is_news(fact.check):
            raise work.overtaken()
        _keep(work, fact, "")
        return True


def _look(work: Work, facts: Facts, chosen: Collection[Fact]) -> None:
    for fact in chosen:
        asked = _asked(facts, fact)
        touched = [row for row in (fact.check, *asked) if row is not None and work.is_news(row)]
        # Whoever accepts what others have accepted meanwhile agrees with them.
        if touched and not fact.is_done:
            raise work.overtaken()
        if any(remark.is_draft for remark in asked):
            raise Refused(f"There is a draft query about {fact.label}. Send or delete it first.")


def _asked(facts: Facts, fact: Fact) -> list[Remark]:
    """The open remarks that accepting a fact answers: those at its place, and a section's also at its answers."""
    place = fact.place
    is_within = place.kind is Kind.SECTION
    return [one for one in facts.asked if one.place == place or (is_within and one.holder == place.holder)]


def _keep(work: Work, fact: Fact, digest: str) -> None:
    kept = work.touch | {"label": fact.label[:LABEL_LIMIT], "digest": digest}
    application = work.draft.application
    check, _ = Check.objects.update_or_create(application=application, **fact.place.columns, defaults=kept)
    work.did("accept" if digest else "reopen", check)
