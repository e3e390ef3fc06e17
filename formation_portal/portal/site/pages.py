"""Build the glossary, the operator's texts, the page of an unsent form, and the demo's e-mails and components."""

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
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy

from formation_portal.accounts.policies import UserRequest
from formation_portal.accounts.unsent_forms import UnsentForm
from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.iso_codes import sort_key
from formation_portal.core.pages.content_policy import source_hash
from formation_portal.mail.models import Email
from formation_portal.mail.rendering import email_styles
from formation_portal.ui.formats import day_and_time
from formation_portal.ui.forms.form_data import posted_answers, recognised_answers
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.glossary import GlossaryPlace, Term, explained_term, places, term_texts

from ..applications.overview import Task
from ..lookups import get_draft_or_404, get_party_or_404, get_section_or_404, get_share_section_or_404
from ..parties.pages import unsaved_party_rows
from ..sections.changes import unsaved_replies, unsaved_rows
from ..sections.pages import section_page
from ..shares.pages import share_class_page, shares_page

# Articles are ignored in sorting: The Netherlands under N.
_ARTICLE = re.compile(r"^(?:the |die |les? |la |las |los |l’)", re.IGNORECASE)


def glossary(place: GlossaryPlace | None) -> list[Term]:
    return sorted((explained_term(key, place) for key in term_texts()), key=lambda term: sort_key(term.title))


def glossary_links() -> list[tuple[str, str]]:
    """Return the places that have their own terms, each with the URL of its glossary."""
    links = [(place.called, reverse("portal:help_place", args=[code])) for code, place in places().items()]
    return sorted(links, key=lambda link: sort_key(_ARTICLE.sub("", link[0])))


TEXTS: Mapping[str, Promise] = {
    "privacy": gettext_lazy("Privacy"),
    "terms": gettext_lazy("Terms of use"),
    "accessibility": gettext_lazy("Accessibility"),
}


def own_text(name: str, *, language: str) -> tuple[SafeString, str] | None:
    """Return the operator's text and its language ("" if that is `language`); None without a file.

    Without a text in `language` or English, any other is used: the portal's own text could contradict the operator's.
    """
    if not settings.OPERATOR_TEXTS:
        return None
    files = {path.suffixes[0][1:]: path for path in sorted(Path(settings.OPERATOR_TEXTS).glob(f"{name}.*.html"))}
    plain = Path(settings.OPERATOR_TEXTS, f"{name}.html")
    if plain.is_file():
        files[settings.LANGUAGE_CODE] = plain
    for code in (language, settings.LANGUAGE_CODE, *files):
        if code in files:
            # The operator may write any HTML; the content policy still blocks scripts in it.
            html = mark_safe(files[code].read_text())  # nosec B308, B703  # noqa: S308
            return html, "" if code == language else code
    return None


def typed_rows(request: UserRequest, unsent: UnsentForm) -> tuple[AnswerRow, ...]:
    """Return the posted answers that differ from the stored ones, labelled by the catalog if the page is gone."""
    post = QueryDict(urlencode(unsent.controls, doseq=True))
    match = resolve(unsent.path.partition("?")[0])
    try:
        draft = get_draft_or_404(request, match.kwargs["reference"])
        rows = _rows(draft, match.url_name or "", match.kwargs, post)
    except (Http404, KeyError):
        rows = recognised_answers(unsent.controls)
    return (*rows, *unsaved_replies(post))


def _rows(draft: Draft, view: str, kwargs: dict[str, str], post: QueryDict) -> tuple[AnswerRow, ...]:
    if view in ("shares", "share_owner"):
        grid = shares_page(draft, get_share_section_or_404(draft)).grid
        cells = [(cell, post.get(cell["id"], "")) for cell in grid.cells]
        return tuple(AnswerRow(cell["label"], text) for cell, text in cells if text not in ("", cell["typed"]))
    if view == "party":
        return unsaved_party_rows(draft, get_party_or_404(draft, kwargs["token"]), post)
    if view == "section":
        form = section_page(draft, get_section_or_404(draft, kwargs["key"])).form
    elif view in ("share_class", "share_class_new"):
        token = kwargs.get("token") or post.get("token", "")
        form = share_class_page(draft, get_share_section_or_404(draft), token=token).form
        if "token" not in kwargs:
            # The posted answers of a new class include the proposed ones.
            form = replace(form, raw={})
    else:
        raise Http404
    return unsaved_rows(form, posted_answers(form, post))


def letter_html(html: str) -> HttpResponse:
    """Return an e-mail's HTML as a page for a frame. The page can load nothing, and only use its own style sheet."""
    policy = (
        f"default-src 'none'; style-src {source_hash(email_styles())}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'; sandbox"
    )
    return HttpResponse(html, headers={"Content-Security-Policy": policy, "X-Frame-Options": "SAMEORIGIN"})


def letter_row(letter: Email) -> Task:
    if letter.sent_at:
        mark = "met"
        status = gettext("Sent on %(when)s") % {"when": day_and_time(letter.sent_at)}
    elif letter.next_at is None:
        mark = "error"
        status = gettext("Not sent: %(error)s") % {"error": letter.error or gettext("too old")}
    elif letter.error:
        mark = "warning"
        status = gettext("Tried %(tries)d times: %(error)s") % {"tries": letter.tries, "error": letter.error}
    else:
        mark = "half"
        status = gettext("In the outbox")
    note = gettext("To %(to)s, written on %(when)s") if letter.to else gettext("Written on %(when)s")
    return Task(
        id=f"letter-{letter.number}",
        title=letter.subject or gettext("Content removed"),
        url=reverse("portal:letter", args=[letter.number]) if letter.text else "",
        state=mark,
        status=status,
        note=note % {"to": letter.to, "when": day_and_time(letter.created_at)},
    )


_HERE = Path(__file__).parent
COMPONENTS = _HERE.parents[2] / "templates/ui"


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A component in the gallery: the tag and class of its parent element, and its rendered states by title."""

    name: str
    tag: str
    css_class: str
    is_entry: bool
    specimens: Mapping[str, SafeString]


def exhibits() -> Iterator[Exhibit]:
    for name, component in _components().items():
        tag, _, css_class = component.get("within", "div").partition(".")
        specimens: dict[str, SafeString] = {}
        for title, values in component["states"].items():
            # The template takes its values as a single object, or each under its own name.
            context = {component["object"]: values} if "object" in component else values
            objects = {key: _as_objects(value) for key, value in context.items()}
            specimens[title] = render_to_string(f"ui/{name}.html", objects)
        yield Exhibit(name.replace("_", " "), tag, css_class, bool(component.get("is_entry")), specimens)


def components_shown_elsewhere() -> list[str]:
    """Return the components that only occur inside others, or frame every page."""
    return sorted({path.stem for path in COMPONENTS.glob("[a-z]*.html")} - _components().keys())


@cache
def _components() -> Mapping[str, Any]:
    components: Mapping[str, Any] = yaml.safe_load((_HERE / "specimens.yaml").read_text())
    return components


def _as_objects(value: Any) -> Any:
    if isinstance(value, Mapping):
        return SimpleNamespace(**{key: _as_objects(item) for key, item in value.items()})
    return [_as_objects(item) for item in value] if isinstance(value, list) else value


_POSTED = (("q:name", ("Larkfield Holdings",)), ("version", ("3",)))

# The error pages by name, each with the context of its template.
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
