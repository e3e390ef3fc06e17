"""Keep the searches of agents encrypted in their sessions, so that no URL has names of people and companies.

The URL of the queue has a short random id of the search: a browser's history and a proxy's log contain no name, while
Back, reload, pages and other filters still work in that session.
"""

import secrets
from dataclasses import replace

from formation_portal.accounts.policies import UserRequest
from formation_portal.core.encryption import UnreadableError, decrypt, encrypt

from ..models import Case
from ..queue_state import QueueState
from .search import next_case_for

_SESSION_KEY = "desk_searches"
# Each request reads all from its session: some hundred bytes each.
MAX_SEARCHES = 50
_ID_BYTES = 9


def keep_search(request: UserRequest, text: str) -> str:
    """Keep the text of a search. Returns its id for URLs, the same for a repeated search; "" without text."""
    if not text:
        return ""
    searches: dict[str, str] = request.session.get(_SESSION_KEY, {})
    search = next((key for key in searches if _text(request, key) == text), secrets.token_urlsafe(_ID_BYTES))
    others = [(key, encrypted) for key, encrypted in searches.items() if key != search]
    # The newest search last.
    newest = (search, encrypt(text.encode(), _context(request, search)))
    request.session[_SESSION_KEY] = dict([*others[1 - MAX_SEARCHES :], newest])
    return search


def with_text(request: UserRequest, state: QueueState) -> QueueState | None:
    """Return the state with the text of its search; None if the session does not have that search."""
    if not state.search:
        return state
    text = _text(request, state.search)
    return replace(state, text=text) if text else None


def claim_next_case(request: UserRequest, state: QueueState) -> tuple[Case | None, str]:
    """Claim the next case of the queue, as `next_case_for`. Returns None and "" if the session does not have the
    search: the page has not listed the case that would be next, and the queue says that the search is over."""
    searched = with_text(request, state)
    return next_case_for(request.user, searched) if searched else (None, "")


def _text(request: UserRequest, search: str) -> str:
    """Return the text of a search; "" if the search or its key is gone."""
    encrypted = request.session.get(_SESSION_KEY, {}).get(search, "")
    if not encrypted:
        return ""
    try:
        return decrypt(encrypted, _context(request, search)).decode()
    except UnreadableError:
        return ""


def _context(request: UserRequest, search: str) -> str:
    return f"desk search\x1f{request.user.pk}\x1f{search}"
