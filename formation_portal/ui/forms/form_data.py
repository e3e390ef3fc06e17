"""Read a posted form: the answers as typed, and the version of the page that posts them."""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import unquote

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import is_token, new_token
from formation_portal.applications.readback import answer_in_words
from formation_portal.applications.services import PageVersion
from formation_portal.contract.fields.base import FieldSpec, control_name
from formation_portal.contract.fields.values import Raw
from formation_portal.contract.rules import field_locations
from formation_portal.contract.schema import FormSchema
from formation_portal.core.integers import parse_integer
from formation_portal.gateway.catalog import cached_catalog

from ..roles import role_words
from .controls import party_control
from .form import QuestionForm
from .question import AnswerRow

logger = logging.getLogger(__name__)

# The prefix of the names of questions' controls.
_QUESTION = "q:"
# The control with tick boxes for a party's roles.
ROLES = "roles"
# The button that restores a removed party first; its value is the party's token.
RESTORE = "restore"
# Before a control's name: the choice between two versions.
KEEP = "keep:"
THEIRS = "theirs"
# The control with the page's version: the application's revision, the page's own id, which form it was, and the ids of
# the pages that it has replaced in its window (reloading.js), all with dots between them.
PAGE_VERSION = "drawn"
_MOST_EARLIER_PAGES = 8
_FORM_LETTERS = 8
# The regions that the page showed.
_SHOWN = "shown"
# Posted by script (autosave.js): the post has only inputs that no response has acknowledged.
PARTIAL = "partial"
# The header of a response that has not saved all of a post, so that script posts it again.
UNSAVED = "Unsaved"


def new_page_version(draft: Draft, *, page: str = "") -> str:
    form = draft.application.schema_version_id[:_FORM_LETTERS]
    return f"{draft.application.revision}.{page or new_token()}.{form}"


def page_id(request: HttpRequest) -> str:
    return str(request.POST.get(PAGE_VERSION, "")).partition(".")[2].partition(".")[0]


def posted_revision(post: QueryDict) -> int | None:
    """Return the application's revision that the page was drawn from; None if the post has none."""
    return parse_integer(str(post.get(PAGE_VERSION, "")).partition(".")[0], digits=9)


def is_as_drawn(post: QueryDict, draft: Draft) -> bool:
    return posted_revision(post) == draft.application.revision


def posted_page_version(post: QueryDict, draft: Draft) -> PageVersion | None:
    """Return the version of the posting page; None if the post has none or is of another form."""
    _, page, form, *earlier = [*str(post.get(PAGE_VERSION, "")).split("."), "", "", ""]
    number = posted_revision(post)
    if number is None or not is_token(page) or form != draft.application.schema_version_id[:_FORM_LETTERS]:
        return None
    earlier_pages = frozenset(filter(is_token, earlier[:_MOST_EARLIER_PAGES]))
    return PageVersion(number, page, is_partial=PARTIAL in post, earlier_pages=earlier_pages)


def posted_answers(form: QuestionForm, post: QueryDict) -> dict[str, Raw]:
    """Return the posted answers by field name. Answers not asked for are ignored, and logged without values."""
    regions = shown_regions(post)
    ignored = {name for name in post if name.startswith(_QUESTION)}
    posted = {_control_of_part(name) for name in ignored}
    answers: dict[str, Raw] = {}
    # Two questions under opposite rules may share one answer: the shown question is read last and wins.
    for region in sorted(form.regions, key=lambda region: not region.id or region.id in regions):
        if posted.isdisjoint(region.controls):
            continue
        for control, question in zip(region.controls, region.asked, strict=True):
            spec = question.spec
            if control not in posted or not form.is_answerable(spec):
                continue
            parts = (*(part.name for part in spec.parts_for(form.typed(spec))), *spec.ticks)
            ignored -= {control, *(f"{control}:{part}" for part in parts)}
            if not keeps_theirs(post, control):
                answer = spec.resolve_exclusive(spec.from_post(post, control), form.typed(spec))
                if answer is not None:
                    answers[spec.name] = answer
    if ignored:
        logger.info("ignored answers that nobody asks for: %r", sorted(name[:80] for name in ignored)[:20])
    return answers


def _control_of_part(name: str) -> str:
    """Return the control that a posted part belongs to. Names are quoted, so that they have no other colon."""
    return ":".join(name.split(":")[:2])


def shown_regions(post: QueryDict) -> frozenset[str]:
    """Return the ids of the regions that the page showed. Script posts all of them in one value."""
    return frozenset(" ".join(post.getlist(_SHOWN)).split())


def keeps_theirs(post: QueryDict, control: str) -> bool:
    return post.get(f"{KEEP}{control}") == THEIRS


def posted_version(post: QueryDict) -> int:
    """Return the version that the page was drawn from; -1, older than any, if it is unreadable."""
    version = parse_integer(post.get("version", ""), digits=9)
    if version is None:
        return -1
    return version


def recognised_answers(controls: Iterable[tuple[str, Iterable[str]]]) -> tuple[AnswerRow, ...]:
    """Read back the answers in controls. A control that no form in the catalog has is labelled by its name."""
    post = QueryDict(mutable=True)
    for name, values in controls:
        post.setlist(name, list(values))
    return tuple(row for row in _rows(post) if row.value)


def _rows(post: QueryDict) -> Iterator[AnswerRow]:
    if roles := [role for role in post.getlist(ROLES) if role]:
        yield AnswerRow(gettext("Roles"), role_words(roles))
    controls = dict.fromkeys(_control_of_part(name) for name in post if name.startswith(_QUESTION))
    if not controls:
        return
    specs = _specs(controls)
    for control in controls:
        if spec := specs.get(control):
            raw = spec.from_post(post, control)
            if spec.refers_to_share_class:
                yield AnswerRow(spec.label, gettext("A share class") if raw else "")
            else:
                yield AnswerRow(spec.label, answer_in_words(spec, raw))
        else:
            text = ", ".join(value for value in post.getlist(control) if value)
            yield AnswerRow(unquote(control.removeprefix(_QUESTION)), text)


def _specs(controls: Collection[str]) -> Mapping[str, FieldSpec]:
    """Return the fields, by control, of the catalog's form that has most of the posted controls."""
    catalog = cached_catalog()
    best: Mapping[str, FieldSpec] = {}
    for product in catalog.items if catalog else ():
        if product.item:
            specs = product.item.form.cached(_by_control)
            if len(specs.keys() & controls) > len(best.keys() & controls):
                best = specs
    return best


def _by_control(form: FormSchema) -> Mapping[str, FieldSpec]:
    by_key: dict[str, FieldSpec] = {}
    by_name: dict[str, FieldSpec] = {}
    for place in field_locations(form):
        by_key.setdefault(control_name(place.spec), place.spec)
        by_name.setdefault(party_control(place.spec), place.spec)
    return by_name | by_key
