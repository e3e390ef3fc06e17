"""What a page was drawn from: written into its form, and read from its posts."""

from django.http import HttpRequest, QueryDict

from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import is_token, new_token
from formation_portal.applications.services import PageVersion
from formation_portal.whole_numbers import whole_number

# The control that carries it. Its parts: the application's revision, the page's own id, and which form it was.
DRAWN = "drawn"
_FORM_LETTERS = 8


def drawn_from(draft: Draft, *, page: str = "") -> str:
    """What a page says that it was drawn from; a new page gets a new id."""
    form = draft.application.schema_version_id[:_FORM_LETTERS]
    return f"{draft.application.revision}.{page or new_token()}.{form}"


def page_of(request: HttpRequest) -> str:
    """The id of the page that posts; empty where it doesn't say."""
    return str(request.POST.get(DRAWN, "")).partition(".")[2].partition(".")[0]


def revision_of(post: QueryDict) -> int | None:
    """The application's revision that the page that posts was drawn from; None where it doesn't say."""
    return whole_number(str(post.get(DRAWN, "")).partition(".")[0], digits=9)


def seen_of(post: QueryDict, draft: Draft) -> PageVersion | None:
    """What the page that posts has seen; None where it doesn't say, or was drawn from another form."""
    _, page, form = [*str(post.get(DRAWN, "")).split("."), "", "", ""][:3]
    number = revision_of(post)
    if number is None or not is_token(page) or form != draft.application.schema_version_id[:_FORM_LETTERS]:
        return None
    return PageVersion(number, page)
