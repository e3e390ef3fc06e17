"""What agents search for: names of people and companies, which stand in no address.

The search form posts the words. They are kept encrypted in the agent's session under a short random id, and the address
of the queue has the id alone: so a browser's history, a proxy's log and a colleague who gets the address learn nothing,
while Back, reload, pages, other filters and the way back from a case go on working in that session. They end with it,
and the oldest go when there are many.
"""

import secrets
from dataclasses import replace

from formation_portal.accounts.policies import UserRequest
from formation_portal.core.encryption import UnreadableError, decrypt, encrypt

from ..models import Case
from ..queue_state import QueueState
from .search import next_case_for

_KEPT = "desk_searches"
# Of one session, which each request reads: some hundred bytes each.
MOST = 50
_ID_BYTES = 9


def keep_search(request: UserRequest, text: str) -> str:
    """Keep the words; their id for addresses, the same for words that are there already. Empty where there are none."""
    if not text:
        return ""
    kept: dict[str, str] = request.session.get(_KEPT, {})
    known = next((one for one in kept if _words(request, one) == text), secrets.token_urlsafe(_ID_BYTES))
    others = [(one, sealed) for one, sealed in kept.items() if one != known]
    # The newest last, as JSON keeps them.
    request.session[_KEPT] = dict([*others[1 - MOST :], (known, encrypt(text.encode(), _context(request, known)))])
    return known


def with_words(request: UserRequest, chosen: QueueState) -> QueueState:
    """The same with the words of the search that its address names. Without any search where the session has none of
    that id: it has ended, or was another agent's. No query."""
    text = _words(request, chosen.search) if chosen.search else ""
    return replace(chosen, text=text) if text else chosen.unsearched


def has_ended(asked: QueueState, found: QueueState) -> bool:
    """Whether an address names a search of which no words are left."""
    return bool(asked.search) and not found.search


def claim_next_case(request: UserRequest, asked: QueueState) -> tuple[Case | None, str]:
    """The next case among those that an address names, or words that say why there is none. None, and no words, where
    its search has ended: among all cases it would be another than the page had promised, and the queue says so."""
    found = with_words(request, asked)
    return (None, "") if has_ended(asked, found) else next_case_for(request.user, found)


def _words(request: UserRequest, search: str) -> str:
    """The words of an id; empty where they are gone, or their key is."""
    sealed = request.session.get(_KEPT, {}).get(search, "")
    try:
        return decrypt(sealed, _context(request, search)).decode() if sealed else ""
    except UnreadableError:
        return ""


def _context(request: UserRequest, search: str) -> str:
    return f"desk search\x1f{request.user.pk}\x1f{search}"
