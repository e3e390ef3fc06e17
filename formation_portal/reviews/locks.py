"""What a customer may not change while they mend the rest: kept when the application is returned, as it stood then."""

from collections.abc import Iterable, Iterator
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import AnswerKey, Locks

from .checklist import Checklist, load_checklist, shares_digest
from .models import Accepted
from .targets import WHOLE_APPLICATION, Target, TargetKind


def keep_what_was_accepted(draft: Draft) -> None:
    """Keep it in the transaction of the return."""
    facts = load_checklist(draft)
    round_ = draft.application.submissions
    defaults = {"round": round_, "places": _accepted_parts(draft, facts)}
    Accepted.objects.update_or_create(application=draft.application, defaults=defaults)


def locks(draft: Draft) -> Locks | None:
    """What was accepted when the present round came back: one query. Nothing where the service sent it back."""
    application = draft.application
    kept = Accepted.objects.filter(application=application, round=application.submissions).first()
    if kept is None:
        return None
    places = kept.places
    shares = {key for key, digest in places["shares"] if digest == shares_digest(draft)}
    return Locks(
        answers=frozenset((holder, name) for holder, name in places["answers"]),
        documents=frozenset((holder, name) for holder, name in places["documents"]),
        roles=frozenset(places["roles"]),
        sections=frozenset(places["sections"]) | shares,
    )


def _accepted_parts(draft: Draft, facts: Checklist) -> dict[str, list[Any]]:
    """What is accepted and nobody asks about, in full names, by what it is."""
    asked = _QueriedTargets(draft, facts)
    done = {fact.target: fact for fact in facts if fact.is_done and not asked.is_about(fact.target)}
    shares = draft.schema.share_section
    entity = [one for one in draft.schema.entity_sections if Target(TargetKind.SECTION, one.key) in done]
    of_shares = done.get(Target(TargetKind.SECTION, shares.key)) if shares else None
    return {
        "answers": [list(one) for one in _answers(draft, done, [one.key for one in entity], asked)],
        "documents": [
            [fact.document.party.token if fact.document.party else "", fact.document.slot]
            for fact in done.values()
            if fact.document
        ],
        "roles": [target.holder for target in done if target.kind is TargetKind.PARTY],
        "sections": [one.key for one in entity],
        "shares": [[of_shares.target.holder, of_shares.digest]] if of_shares else [],
    }


def _answers(
    draft: Draft, done: Iterable[Target], sections: Iterable[str], asked: "_QueriedTargets"
) -> Iterator[AnswerKey]:
    targets = set(done)
    for row in draft.parties:
        yield from ((row.token, name) for name in row.raw if Target.of_field(row.token, name) in targets)
    for key in sections:
        section = draft.schema.section(key)
        answered = draft.raw(section) if section else {}
        # An answer that stands in two sections is asked about in either.
        yield from (("", name) for name in answered if not asked.is_about_entity(name))


class _QueriedTargets:
    """What open questions are about. One about a party, a section or the whole is about everything in it."""

    def __init__(self, draft: Draft, facts: Checklist) -> None:
        self._draft = draft
        self._targets = {query.target for query in facts.queries}
        self._holders = {
            target.holder for target in self._targets if target.kind in (TargetKind.PARTY, TargetKind.SECTION)
        }

    def is_about(self, target: Target) -> bool:
        """Whether one is open about this target."""
        # A return in words alone is about the whole, too.
        if not self._targets or WHOLE_APPLICATION in self._targets or target in self._targets:
            return True
        if target.kind is TargetKind.SECTION:
            section = self._draft.schema.section(target.holder)
            holders = {target.holder}
            if section is not None and section.is_share_structure:
                holders.update(one.token for one in self._draft.share_classes)
            return bool(holders & {one.holder for one in self._targets})
        return bool(target.holder) and target.holder in self._holders

    def is_about_entity(self, name: str) -> bool:
        """Whether one is open about an answer of the entity, in whichever section."""
        asking = [one for one in self._draft.schema.entity_sections if any(spec.name == name for spec in one.fields)]
        return any(one.key in self._holders or Target.of_field(one.key, name) in self._targets for one in asking)
