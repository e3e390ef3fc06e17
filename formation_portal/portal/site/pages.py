"""The glossary, e-mails of the demo, and what was typed when a session had ended."""

import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from django.http import Http404, HttpResponse, QueryDict
from django.urls import resolve, reverse
from django.utils.translation import gettext

from formation_portal.accounts.policies import UserRequest
from formation_portal.accounts.sign_in import UnsentForm
from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.iso_codes import sort_key
from formation_portal.core.middleware import CONTENT_POLICY
from formation_portal.mail.models import Letter
from formation_portal.mail.rendering import letter_styles, sample_contexts, sample_letter
from formation_portal.ui.formats import time_or_day
from formation_portal.ui.forms.form_data import ROLES, posted_answers, recognised_answers
from formation_portal.ui.glossary import GlossaryPlace, Term, explained_term, places
from formation_portal.ui.glossary.terms import term_texts
from formation_portal.ui.readback import AnswerRow
from formation_portal.ui.roles import role_words

from ..applications.task_list import Task
from ..lookups import get_draft_or_404, get_party_or_404, get_section_or_404, get_share_section_or_404
from ..parties.pages import form_with_roles
from ..sections.conflicts import unsaved_replies, unsaved_rows
from ..sections.pages import section_page
from ..shares.pages import share_class_page, shares_page

# Nobody looks for the Netherlands under T, nor for les Pays-Bas under L.
_ARTICLE = re.compile(r"^(?:the |die |les? |la |las |los |l’)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HelpPage:
    """Every term, with the words of one place where one was chosen, and the ways to the others."""

    place: GlossaryPlace | None
    terms: tuple[Term, ...]
    links: tuple[tuple[str, str], ...]


def help_page(code: str = "") -> HelpPage:
    """All words. Raises KeyError for a place that there is not."""
    place = places()[code] if code else None
    terms = sorted((explained_term(key, place) for key in term_texts()), key=lambda term: sort_key(term.title))
    links = ((one.called, reverse("portal:help_place", args=[code])) for code, one in places().items())
    return HelpPage(place, tuple(terms), tuple(sorted(links, key=lambda link: sort_key(_ARTICLE.sub("", link[0])))))


def typed_rows(request: UserRequest, unsent: UnsentForm) -> tuple[AnswerRow, ...]:
    """What was posted and is not what stands there. Where the page is gone, by the catalog's labels."""
    post = QueryDict(mutable=True)
    for name, values in unsent.controls:
        post.setlist(name, list(values))
    match = resolve(unsent.path.partition("?")[0])
    try:
        draft = get_draft_or_404(request, match.kwargs["reference"])
        rows = _rows(draft, match.url_name or "", match.kwargs, post)
    except (Http404, KeyError):
        rows = recognised_answers(unsent.controls)
    return (*rows, *unsaved_replies(post))


def _rows(draft: Draft, view: str, place: dict[str, str], post: QueryDict) -> tuple[AnswerRow, ...]:
    if view == "section":
        form = section_page(draft, get_section_or_404(draft, place["key"])).form
    elif view == "party":
        party, posted = get_party_or_404(draft, place["token"]), [role for role in post.getlist(ROLES) if role]
        form = form_with_roles(draft, party, posted)
        rows = unsaved_rows(form, posted_answers(form, post))
        is_other = ROLES in post and set(posted) != set(party.roles)
        roles = AnswerRow(gettext("Roles"), role_words(posted))
        return (roles, *rows) if is_other else rows
    elif view in ("share_class", "share_class_new"):
        token = place.get("token") or post.get("token", "")
        form = share_class_page(draft, get_share_section_or_404(draft), token=token).form
    elif view in ("shares", "share_owner"):
        cells = shares_page(draft, get_share_section_or_404(draft)).cells
        typed = ((cell, post.get(cell.name, "")) for cell in cells)
        return tuple(AnswerRow(cell.label, text) for cell, text in typed if text not in ("", cell.typed))
    else:
        raise Http404
    return unsaved_rows(form, posted_answers(form, post))


FRAMING_POLICY = f"{CONTENT_POLICY}; frame-src 'self'"


@dataclass(frozen=True, slots=True)
class LetterPreview:
    """One kind of letter with its sample data, and the address of its HTML."""

    kind: str
    subject: str
    text: str
    url: str


def letter_rows(letters: Iterable[Letter]) -> tuple[Task, ...]:
    """The rows of the outbox."""
    return tuple(_row(letter) for letter in letters)


def previews(*, language: str) -> tuple[LetterPreview, ...]:
    """Every kind."""
    drawn = ((kind, sample_letter(kind, language=language)) for kind in sample_contexts())
    return tuple(
        LetterPreview(kind, one.subject, one.text, reverse("portal:gallery_letter", args=[kind])) for kind, one in drawn
    )


def letter_html(html: str) -> HttpResponse:
    """A letter's HTML as a page of its own, to stand in a frame: it may use its one style sheet, and nothing else."""
    digest = b64encode(sha256(letter_styles().encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'; sandbox"
    )
    return HttpResponse(html, headers={"Content-Security-Policy": policy, "X-Frame-Options": "SAMEORIGIN"})


def _row(letter: Letter) -> Task:
    state, status = _standing(letter)
    when = time_or_day(letter.created_at)
    if letter.to:
        note = gettext("To %(to)s, written on %(when)s") % {"to": letter.to, "when": when}
    else:
        note = gettext("Written on %(when)s") % {"when": when}
    return Task(
        id=f"letter-{letter.number}",
        title=letter.subject or gettext("Content removed"),
        url=reverse("portal:letter", args=[letter.number]) if letter.text else "",
        state=state,
        status=status,
        note=note,
    )


def _standing(letter: Letter) -> tuple[str, str]:
    if letter.sent_at:
        return "met", gettext("Sent on %(when)s") % {"when": time_or_day(letter.sent_at)}
    if letter.next_at is None:
        return "stop", gettext("Not sent: %(error)s") % {"error": letter.error or gettext("too old")}
    if letter.error:
        return "heed", gettext("Tried %(tries)d times: %(error)s") % {"tries": letter.tries, "error": letter.error}
    return "half", gettext("In the outbox")
