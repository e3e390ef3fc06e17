"""Lock the answers, documents, roles and sections accepted before a return, so that the customer corrects the rest."""

from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import Locks

from .checklist import Checklist, load_checklist, shares_digest
from .models import Accepted
from .targets import WHOLE_APPLICATION, Target, TargetKind


def keep_what_was_accepted(draft: Draft) -> None:
    """Store the accepted parts of an application that is being returned."""
    parts = _accepted_parts(draft, load_checklist(draft))
    defaults = {"round": draft.application.submissions, "places": parts}
    Accepted.objects.update_or_create(application=draft.application, defaults=defaults)


def locks(draft: Draft) -> Locks | None:
    """Return the parts accepted when an agent returned the latest submission; None without a return. One SQL query."""
    application = draft.application
    accepted = Accepted.objects.filter(application=application, round=application.submissions).first()
    if accepted is None:
        return None
    places = accepted.places
    shares = {key for key, digest in places["shares"] if digest == shares_digest(draft)}
    return Locks(
        answers=frozenset(map(tuple, places["answers"])),
        documents=frozenset(map(tuple, places["documents"])),
        roles=frozenset(places["roles"]),
        sections=frozenset(places["sections"]) | shares,
    )


def _accepted_parts(draft: Draft, checklist: Checklist) -> dict[str, list[Any]]:
    """Return the accepted parts without an open query, by kind of part. Names are not shortened, unlike a target's."""
    queried = _QueriedTargets(draft, checklist)
    accepted = {fact.target: fact for fact in checklist if fact.is_done and not queried.is_about(fact.target)}
    parts: dict[str, list[Any]] = {"answers": [], "documents": [], "roles": [], "sections": [], "shares": []}
    for party in draft.parties:
        for name in party.raw:
            if Target.of_field(party.token, name) in accepted:
                parts["answers"].append([party.token, name])
    for target, fact in accepted.items():
        section = draft.schema.section(target.holder)
        if fact.document:
            parts["documents"].append([target.holder, fact.document.slot])
        elif target.kind is TargetKind.PARTY:
            parts["roles"].append(target.holder)
        elif section is not None and section.is_share_structure:
            parts["shares"].append([section.key, fact.digest])
        elif section is not None:
            parts["sections"].append(section.key)
            # If two sections ask for an answer, a query may be in either.
            for name in draft.raw(section):
                if not queried.is_about_entity(name):
                    parts["answers"].append(["", name])
    return parts


class _QueriedTargets:
    """The targets of open queries. A query about a party, a section or the application covers all its parts."""

    def __init__(self, draft: Draft, checklist: Checklist) -> None:
        self._draft = draft
        self._targets = {query.target for query in checklist.queries}
        self._holders = {
            target.holder for target in self._targets if target.kind in (TargetKind.PARTY, TargetKind.SECTION)
        }

    def is_about(self, target: Target) -> bool:
        # A return without queries is about all parts.
        if not self._targets or WHOLE_APPLICATION in self._targets or target in self._targets:
            return True
        if target.kind is not TargetKind.SECTION:
            return bool(target.holder) and target.holder in self._holders
        section = self._draft.schema.section(target.holder)
        holders = {target.holder}
        if section is not None and section.is_share_structure:
            holders.update(share_class.token for share_class in self._draft.share_classes)
        return any(queried.holder in holders for queried in self._targets)

    def is_about_entity(self, name: str) -> bool:
        """Tell whether a query about this answer of the entity is open in any section."""
        for section in self._draft.schema.entity_sections:
            is_queried = section.key in self._holders or Target.of_field(section.key, name) in self._targets
            if is_queried and any(spec.name == name for spec in section.fields):
                return True
        return False
