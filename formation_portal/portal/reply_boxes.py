"""What customers write to our reviewer beside their answers: read from a post, and kept."""

from collections.abc import Iterator

from django.http import QueryDict

from formation_portal.applications.draft import Draft
from formation_portal.applications.history import Author
from formation_portal.reviews.replies import Reply, keep

from .came_back import REPLY, REPLY_WAS


def keep_replies(draft: Draft, post: QueryDict, *, by: Author) -> int:
    """Keep every reply that came; how many are about questions that are still open. Raises Closed."""
    return keep(draft, list(replies_in(post)), by=by)


def has_replies(post: QueryDict) -> bool:
    """Whether the page that posts had a box for one."""
    return any(True for _ in replies_in(post))


def replies_in(post: QueryDict) -> Iterator[Reply]:
    """What came, with what stood there when it was written."""
    for control in post:
        name, _, number = control.partition(":")
        if name == REPLY and number.isascii() and number.isdecimal() and len(number) < 10:
            yield Reply(int(number), str(post[control]), post.get(f"{REPLY_WAS}:{number}", ""))
