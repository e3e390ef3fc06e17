"""Make the URLs of a case's pages, which carry the state of the queue along."""

from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from formation_portal.applications.draft import Draft
from formation_portal.reviews.checklist import Checklist
from formation_portal.reviews.targets import SCREENING, Target, TargetKind

from .queue_state import QueueState
from .url_queries import query_string


def queue_shown(values: Mapping[str, str]) -> QueueState:
    """Read the state of the queue that a case was opened from: `shown` in a form, `from` in a URL."""
    address = values.get("shown", "") or values.get("from", "")
    return QueueState.read(QueryDict(address.removeprefix("?")))


def queue_url(queue_state: QueueState) -> str:
    return reverse("desk:queue") + queue_state.address


def party_url(reference: str, token: str, queue_state: QueueState | None = None) -> str:
    return with_queue(reverse("desk:party", args=[reference, token]), queue_state)


def case_url(reference: str, queue_state: QueueState) -> str:
    return with_queue(reverse("desk:case", args=[reference]), queue_state)


def with_queue(address: str, queue_state: QueueState | None) -> str:
    if queue_state is None:
        return address
    return address + query_string({"from": queue_state.address})


def return_url(posted: QueryDict, reference: str) -> str:
    """Return the URL in `back` if it is a page of this case, else the URL of the case itself."""
    home = reverse("desk:case", args=[reference])
    back = posted.get("back", "")
    is_within = url_has_allowed_host_and_scheme(back, allowed_hosts=None) and back.startswith(home)
    # Browsers also resolve dots that are written as %2e.
    if is_within and ".." not in unquote(back) and back.isprintable():
        return back
    return home


def return_query(posted: QueryDict, reference: str) -> QueryDict:
    return QueryDict(urlsplit(return_url(posted, reference)).query)


def fact_id(number: int) -> str:
    """Return the id of a fact on its party's page, by its number in the checklist, from 1."""
    return f"fact-{number}"


class TargetLinks:
    """The URLs of the targets of a case. No SQL query."""

    def __init__(self, draft: Draft, checklist: Checklist, queue_state: QueueState) -> None:
        self._draft = draft
        self._checklist = checklist
        self._queue_state = queue_state
        self._case = case_url(draft.application.reference, queue_state)

    def at(self, target: Target) -> str:
        """Return the URL of a target; for a target without an anchor the URL of the case."""
        if self._draft.party(target.holder):
            return self._at_party(target)
        if target.holder and self._draft.schema.section(target.holder) is None:
            return self._case
        shares = self._draft.schema.share_section
        if target.kind is TargetKind.DOCUMENT:
            return f"{self._case}#documents"
        if shares and target.holder == shares.key:
            return f"{self._case}#shares"
        if target.holder:
            return f"{self._case}#section-{target.holder}"
        return f"{self._case}#notes"

    def _at_party(self, target: Target) -> str:
        url = party_url(self._draft.application.reference, target.holder, self._queue_state)
        if checklist := self._checklist.of_holder(target.holder):
            for number, fact in enumerate(checklist.facts, 1):
                if fact.target == target:
                    return f"{url}#{fact_id(number)}"
        if target.name == SCREENING:
            return f"{url}#{SCREENING}"
        return url


def next_check_url(draft: Draft, checklist: Checklist, token: str, queue_state: QueueState) -> str:
    """Return the URL of the next check after a party ("": the application), else of the decision. No SQL query."""
    reference = draft.application.reference
    following = checklist.following(token)
    if following is None:
        return f"{case_url(reference, queue_state)}#decide"
    if following.token:
        return party_url(reference, following.token, queue_state)
    return TargetLinks(draft, checklist, queue_state).at(next(fact.target for fact in following.facts if fact.is_to_do))
