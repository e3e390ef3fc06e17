"""The glossary, the operator's texts, what was typed when a session had ended, and the demo's e-mails and gallery."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml
from django.conf import settings
from django.http import Http404, HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.urls import resolve, reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy

from formation_portal.accounts.policies import UserRequest
from formation_portal.accounts.unsent_forms import UnsentForm
from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.iso_codes import sort_key
from formation_portal.core.pages.content_policy import source_hash
from formation_portal.mail.models import Letter
from formation_portal.mail.rendering import letter_styles
from formation_portal.ui.formats import time_or_day
from formation_portal.ui.forms.form_data import ROLES, posted_answers, recognised_answers
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.glossary import GlossaryPlace, Term, explained_term, places, term_texts
from formation_portal.ui.roles import role_words

from ..applications.overview import Task
from ..lookups import get_draft_or_404, get_party_or_404, get_section_or_404, get_share_section_or_404
from ..parties.pages import party_form
from ..sections.changes import unsaved_replies, unsaved_rows
from ..sections.pages import section_page
from ..shares.pages import share_class_page, shares_page

# Nobody looks for the Netherlands under T, nor for les Pays-Bas under L.
_ARTICLE = re.compile(r"^(?:the |die |les? |la |las |los |l’)", re.IGNORECASE)


def glossary(place: GlossaryPlace | None) -> list[Term]:
    """Every term in the order of the alphabet, with the words of one place where one is named."""
    return sorted((explained_term(key, place) for key in term_texts()), key=lambda term: sort_key(term.title))


def glossary_links() -> list[tuple[str, str]]:
    """The places that have words of their own, each with the address of its glossary."""
    links = ((one.called, reverse("portal:help_place", args=[code])) for code, one in places().items())
    return sorted(links, key=lambda link: sort_key(_ARTICLE.sub("", link[0])))


TEXTS: Mapping[str, Promise] = {
    "privacy": gettext_lazy("Privacy"),
    "terms": gettext_lazy("Terms of use"),
    "accessibility": gettext_lazy("Accessibility"),
}


def own_text(name: str, *, language: str) -> tuple[SafeString, str] | None:
    """The operator's own text as HTML, and its language where that is not the page's; None where there is no such file.

    `privacy.de.html` is for one language, `privacy.html` in English and for all others. Where neither is there, any of
    them is: nobody is told something else than the operator says.
    """
    if not settings.OPERATOR_TEXTS:
        return None
    files = {path.suffixes[0][1:]: path for path in sorted(Path(settings.OPERATOR_TEXTS).glob(f"{name}.*.html"))}
    plain = Path(settings.OPERATOR_TEXTS, f"{name}.html")
    files |= {settings.LANGUAGE_CODE: plain} if plain.is_file() else {}
    found = next((code for code in (language, settings.LANGUAGE_CODE, *files) if code in files), None)
    if found is None:
        return None
    # A file of the operator's, who may write what it likes; the content policy keeps scripts out of it all the same.
    return mark_safe(files[found].read_text()), "" if found == language else found  # nosec B308, B703  # noqa: S308


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
        form = party_form(draft, party, more_roles=posted)
        rows = unsaved_rows(form, posted_answers(form, post))
        is_other = ROLES in post and set(posted) != set(party.roles)
        roles = AnswerRow(gettext("Roles"), role_words(posted))
        return (roles, *rows) if is_other else rows
    elif view in ("share_class", "share_class_new"):
        token = place.get("token") or post.get("token", "")
        # Nothing stands there yet of a new one: what is proposed for it was sent by whoever has typed.
        form = share_class_page(draft, get_share_section_or_404(draft), token=token).form
        form = form if "token" in place else replace(form, raw={})
    elif view in ("shares", "share_owner"):
        cells = shares_page(draft, get_share_section_or_404(draft)).grid.cells
        typed = ((cell, post.get(cell.id, "")) for cell in cells)
        return tuple(AnswerRow(cell.label, text) for cell, text in typed if text not in ("", cell.typed))
    else:
        raise Http404
    return unsaved_rows(form, posted_answers(form, post))


def letter_html(html: str) -> HttpResponse:
    """A letter's HTML as a page of its own, to stand in a frame: it may use its one style sheet, and nothing else."""
    policy = (
        f"default-src 'none'; style-src {source_hash(letter_styles())}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'; sandbox"
    )
    return HttpResponse(html, headers={"Content-Security-Policy": policy, "X-Frame-Options": "SAMEORIGIN"})


def letter_row(letter: Letter) -> Task:
    """A letter's row in the outbox."""
    if letter.sent_at:
        state, status = "met", gettext("Sent on %(when)s") % {"when": time_or_day(letter.sent_at)}
    elif letter.next_at is None:
        state, status = "stop", gettext("Not sent: %(error)s") % {"error": letter.error or gettext("too old")}
    elif letter.error:
        said = gettext("Tried %(tries)d times: %(error)s")
        state, status = "heed", said % {"tries": letter.tries, "error": letter.error}
    else:
        state, status = "half", gettext("In the outbox")
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


_HERE = Path(__file__).parent
COMPONENTS = _HERE.parents[2] / "templates/ui"


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One component: the element that it stands in, as tag and class, and its states by title, each drawn."""

    name: str
    tag: str
    css_class: str
    is_entry: bool
    specimens: Mapping[str, SafeString]


def exhibits() -> Iterator[Exhibit]:
    """Every component in every state, drawn from the templates that the pages use."""
    for name, described in _described().items():
        tag, _, css_class = described.get("within", "div").partition(".")
        specimens = {
            title: render_to_string(f"ui/{name}.html", _context(given, described.get("object")))
            for title, given in described["states"].items()
        }
        yield Exhibit(name.replace("_", " "), tag, css_class, bool(described.get("is_entry")), specimens)


def components_shown_elsewhere() -> list[str]:
    """The components that stand within others alone, or frame every page."""
    return sorted({path.stem for path in COMPONENTS.glob("[a-z]*.html")} - _described().keys())


@cache
def _described() -> Mapping[str, Any]:
    described: Mapping[str, Any] = yaml.safe_load((_HERE / "specimens.yaml").read_text())
    return described


def _context(given: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    """What a template is given in a state; all of it as one object, where the component takes one of that name."""
    return {name: _as_given(given)} if name else {key: _as_given(value) for key, value in given.items()}


def _as_given(value: Any) -> Any:
    """Templates are given objects; a mapping becomes one."""
    if isinstance(value, Mapping):
        return SimpleNamespace(**{key: _as_given(one) for key, one in value.items()})
    return [_as_given(one) for one in value] if isinstance(value, list) else value


_POSTED = (("q:name", ("Larkfield Holdings",)), ("version", ("3",)))

# The pages for what went wrong, by their names, each with what its template is given.
ERRORS: Mapping[str, Mapping[str, Any]] = {
    "400": {},
    "403": {},
    "403_csrf": {"posted": QueryDict("q:name=Larkfield+Holdings&version=3")},
    "404": {},
    "405": {},
    "410": {},
    "413": {},
    "429": {},
    "500": {},
    "503": {
        "unsent": UnsentForm("/", _POSTED, had_files=True),
        "typed": (AnswerRow("Name", "Larkfield Holdings", is_name=True),),
        "path": "/",
    },
}
