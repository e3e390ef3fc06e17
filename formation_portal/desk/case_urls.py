"""Where the pages of a case are, and where they lead back to. What the queue showed travels along in their addresses
and forms, so that the way back and the next case are those of the same filters.
"""

from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode

from formation_portal.applications.draft import Draft
from formation_portal.reviews.checklist import Checklist
from formation_portal.reviews.targets import SCREENING, Target, TargetKind

from .queue_state import QueueState


def queue_shown(said: Mapping[str, str]) -> QueueState:
    """What the queue showed: a form carries its address as `shown`, an address as `from`."""
    address = said.get("shown", "") or said.get("from", "")
    return QueueState.read(QueryDict(address.removeprefix("?")))


def queue_url(shown: QueueState) -> str:
    """The queue as it was."""
    return reverse("desk:queue") + shown.address


def party_url(reference: str, token: str, shown: QueueState | None = None) -> str:
    """The page of one of a case's parties."""
    return _with(reverse("desk:party", args=[reference, token]), shown)


def erasure_url(reference: str, token: str, shown: QueueState) -> str:
    """Where a party is erased at its own wish."""
    return _with(reverse("desk:party_erasure", args=[reference, token]), shown)


def case_url(reference: str, shown: QueueState) -> str:
    """A case's page, opened from a queue that shows this."""
    return _with(reverse("desk:case", args=[reference]), shown)


def _with(address: str, shown: QueueState | None) -> str:
    return f"{address}?{urlencode({'from': shown.address})}" if shown and shown.address else address


def return_url(posted: QueryDict, reference: str) -> str:
    """The address in `back` where it is one of this case, else that of the case's own page."""
    home, asked = reverse("desk:case", args=[reference]), posted.get("back", "")
    is_ours = url_has_allowed_host_and_scheme(asked, allowed_hosts=None) and asked.startswith(home)
    # Browsers climb by dots that are written as %2e, too.
    return asked if is_ours and ".." not in unquote(asked) and asked.isprintable() else home


def return_query(posted: QueryDict, reference: str) -> QueryDict:
    """What the page that was posted from was asked for: the query of the address that the post leads back to."""
    return QueryDict(urlsplit(return_url(posted, reference)).query)


def fact_id(number: int) -> str:
    """The id of a fact on its party's page, by its number in the checklist; the first is 1."""
    return f"fact-{number}"


class TargetLinks:
    """The addresses of the places of one case, opened from a queue that shows this. No query."""

    def __init__(self, draft: Draft, checklist: Checklist, shown: QueueState) -> None:
        self._draft = draft
        self._shown = shown
        self._case = case_url(draft.application.reference, shown)
        self._checklist = checklist
        # The number of each fact of those holders that were asked for.
        self._numbers: dict[str, dict[Target, int]] = {}

    def at(self, target: Target) -> str:
        """The address of a place; what has none of its own is looked for on the case's page."""
        if number := self._number(target):
            return f"{self._party(target.holder)}#{fact_id(number)}"
        if self._draft.party(target.holder):
            return self._party(target.holder) + (f"#{SCREENING}" if target.name == SCREENING else "")
        if target.holder and self._draft.schema.section(target.holder) is None:
            return self._case
        shares = self._draft.schema.share_section
        if target.kind is TargetKind.DOCUMENT:
            return f"{self._case}#documents"
        if shares and target.holder == shares.key:
            return f"{self._case}#shares"
        return f"{self._case}#section-{target.holder}" if target.holder else f"{self._case}#notes"

    def _number(self, target: Target) -> int:
        """The number of a fact on its party's page; 0 where it is none."""
        holder = target.holder
        if holder not in self._numbers:
            sheet = self._checklist.of_holder(holder) if holder else None
            facts = sheet.facts if sheet else ()
            self._numbers[holder] = {fact.target: number for number, fact in enumerate(facts, 1)}
        return self._numbers[holder].get(target, 0)

    def _party(self, token: str) -> str:
        return party_url(self._draft.application.reference, token, self._shown)


def next_check_url(draft: Draft, checklist: Checklist, token: str, shown: QueueState) -> str:
    """Where a review goes on after one holder, a party or the application itself (no token): the next thing to check,
    or the decision. No query."""
    reference, following = draft.application.reference, checklist.following(token)
    if following is None:
        return f"{case_url(reference, shown)}#decide"
    if following.token:
        return party_url(reference, following.token, shown)
    return TargetLinks(draft, checklist, shown).at(next(fact.target for fact in following.facts if fact.is_to_do))
