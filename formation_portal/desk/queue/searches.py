"""Keep the searches of agents in their sessions: names of people and companies stand in no address.

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

_SESSION_KEY = "desk_searches"
# Each request reads them all from its session: some hundred bytes each.
MAX_SEARCHES = 50
_ID_BYTES = 9


def keep_search(request: UserRequest, text: str) -> str:
    """Keep the text of a search. Returns its id for addresses, which a repeated search keeps; "" without text."""
    if not text:
        return ""
    searches: dict[str, str] = request.session.get(_SESSION_KEY, {})
    search = next((key for key in searches if _text(request, key) == text), secrets.token_urlsafe(_ID_BYTES))
    others = [(key, encrypted) for key, encrypted in searches.items() if key != search]
    # The newest last, as JSON keeps them.
    newest = (search, encrypt(text.encode(), _context(request, search)))
    request.session[_SESSION_KEY] = dict([*others[1 - MAX_SEARCHES :], newest])
    return search


def with_text(request: UserRequest, state: QueueState) -> QueueState:
    """Return the state with the text of its search; without a search where the session has none of that id: it has
    ended, or was another agent's. Makes no query."""
    text = _text(request, state.search) if state.search else ""
    return replace(state, text=text) if text else state.without_search


def has_ended(state: QueueState, searched: QueueState) -> bool:
    """Report that an address names a search whose text is gone."""
    return bool(state.search) and not searched.search


def claim_next_case(request: UserRequest, state: QueueState) -> tuple[Case | None, str]:
    """Claim the next case among those of the queue, or return why there is none.

    Returns None without a reason where the search has ended: another case would be claimed than the page had promised,
    and the queue says so.
    """
    searched = with_text(request, state)
    return (None, "") if has_ended(state, searched) else next_case_for(request.user, searched)


def _text(request: UserRequest, search: str) -> str:
    """Return the text of a search; "" where it is gone, or where its key is."""
    encrypted = request.session.get(_SESSION_KEY, {}).get(search, "")
    try:
        return decrypt(encrypted, _context(request, search)).decode() if encrypted else ""
    except UnreadableError:
        return ""


def _context(request: UserRequest, search: str) -> str:
    return f"desk search\x1f{request.user.pk}\x1f{search}"
