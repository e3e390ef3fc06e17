"""What was typed when a session had ended, as whoever typed it knows it: the page's own labels and words."""

from django.http import Http404, QueryDict
from django.urls import resolve
from django.utils.translation import gettext

from formation_portal.accounts.policies import UserRequest
from formation_portal.accounts.signing_in import Unsent
from formation_portal.applications.draft import Draft

from .finding import draft_of, entity_section, party_of, share_section
from .party_page import sheet_with_roles
from .posted import ROLES, read_answers
from .roles import role_words
from .section_page import section_page
from .share_class_page import share_class_page
from .shares_view import shares_page
from .typed import typed_in
from .unsaved import unsaved_replies, unsaved_rows
from .words import AnswerRow


def typed_rows(request: UserRequest, unsent: Unsent) -> tuple[AnswerRow, ...]:
    """What was posted and is not what stands there. Where the page is gone, by the catalog's labels."""
    post = QueryDict(mutable=True)
    for name, values in unsent.controls:
        post.setlist(name, list(values))
    match = resolve(unsent.path.partition("?")[0])
    try:
        draft = draft_of(request, match.kwargs["reference"])
        rows = _rows(draft, match.url_name or "", match.kwargs, post)
    except (Http404, KeyError):
        rows = typed_in(unsent.controls)
    return (*rows, *unsaved_replies(post))


def _rows(draft: Draft, view: str, place: dict[str, str], post: QueryDict) -> tuple[AnswerRow, ...]:
    if view == "section":
        sheet = section_page(draft, entity_section(draft, place["key"])).sheet
    elif view == "party":
        party, posted = party_of(draft, place["token"]), [role for role in post.getlist(ROLES) if role]
        sheet = sheet_with_roles(draft, party, posted)
        rows = unsaved_rows(sheet, read_answers(sheet, post))
        is_other = ROLES in post and set(posted) != set(party.roles)
        roles = AnswerRow(gettext("Roles"), role_words(posted), is_name=False, note="")
        return (roles, *rows) if is_other else rows
    elif view in ("share_class", "share_class_new"):
        token = place.get("token") or post.get("token", "")
        sheet = share_class_page(draft, share_section(draft), token=token).sheet
    elif view in ("shares", "share_owner"):
        cells = shares_page(draft, share_section(draft)).cells
        typed = ((cell, post.get(cell.name, "")) for cell in cells)
        return tuple(
            AnswerRow(cell.label, text, is_name=False, note="") for cell, text in typed if text not in ("", cell.typed)
        )
    else:
        raise Http404
    return unsaved_rows(sheet, read_answers(sheet, post))
