"""What a form post says: answers as typed, field by field, and the version of the page that posts them."""

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
from formation_portal.contract.schema import FormSchema
from formation_portal.core.integers import parse_integer
from formation_portal.gateway.catalog import cached_catalog

from ..roles import role_words
from .controls import party_control
from .form import QuestionForm
from .question import AnswerRow

logger = logging.getLogger(__name__)

# What the controls of questions begin with.
_QUESTION = "q:"
# The control with the boxes of a party's roles.
ROLES = "roles"
# The button that restores a removed party first; its value is the party's token.
RESTORE = "restore"
# By the name of a control: that somebody chose to keep what was stored meanwhile.
KEEP = "keep:"
THEIRS = "theirs"
# The control with the page's version: the application's revision, the page's own id, which form it was, and the ids of
# the pages that it has replaced in its window (reloading.js), all with dots between them.
PAGE_VERSION = "drawn"
_MOST_EARLIER_PAGES = 8
_FORM_LETTERS = 8
# The regions that the page showed.
_SHOWN = "shown"
# Posted by script (autosave.js): only what no answer has acknowledged is in the post.
PARTIAL = "partial"
# The header of an answer that has not saved all of a post, so that script posts it once more.
UNSAVED = "Unsaved"


def new_page_version(draft: Draft, *, page: str = "") -> str:
    """What a page says that it was drawn from; a new page gets a new id."""
    form = draft.application.schema_version_id[:_FORM_LETTERS]
    return f"{draft.application.revision}.{page or new_token()}.{form}"


def page_id(request: HttpRequest) -> str:
    """The id of the page that posts; empty where it doesn't say."""
    return str(request.POST.get(PAGE_VERSION, "")).partition(".")[2].partition(".")[0]


def posted_revision(post: QueryDict) -> int | None:
    """The application's revision that the page that posts was drawn from; None where it doesn't say."""
    return parse_integer(str(post.get(PAGE_VERSION, "")).partition(".")[0], digits=9)


def is_as_drawn(post: QueryDict, draft: Draft) -> bool:
    """Whether nothing of the application has changed since the page that posts was drawn."""
    return posted_revision(post) == draft.application.revision


def posted_page_version(post: QueryDict, draft: Draft) -> PageVersion | None:
    """What the page that posts has seen; None where it doesn't say, or was drawn from another form."""
    _, page, form, *earlier = [*str(post.get(PAGE_VERSION, "")).split("."), "", "", ""]
    number = posted_revision(post)
    if number is None or not is_token(page) or form != draft.application.schema_version_id[:_FORM_LETTERS]:
        return None
    earlier_pages = frozenset(filter(is_token, earlier[:_MOST_EARLIER_PAGES]))
    return PageVersion(number, page, is_partial=PARTIAL in post, earlier_pages=earlier_pages)


def posted_answers(form: QuestionForm, post: QueryDict) -> dict[str, Raw]:
    """The posted answers of the form by field name; what the post did not hold is absent.

    An answer that nobody asks for, or that only the agent gives, is ignored and logged without its value.
    """
    shown = shown_regions(post)
    ignored = {name for name in post if name.startswith(_QUESTION)}
    # The control that a part belongs to; names are quoted, so no other colon stands in them.
    posted = {":".join(name.split(":")[:2]) for name in ignored}
    raw: dict[str, Raw] = {}
    # Two questions under opposite rules may share one answer: what the person saw is read last, and so wins.
    for begin, end, _id, _entry in sorted(form.runs, key=lambda run: not run[2] or run[2] in shown):
        controls = form.controls[begin:end]
        if posted.isdisjoint(controls):
            continue
        for control, asked in zip(controls, form.asked[begin:end], strict=True):
            spec = asked.spec
            if control not in posted or not form.is_asked(spec):
                continue
            ignored -= {control, *(f"{control}:{part.name}" for part in spec.parts_for(form.typed(spec)))}
            if not keeps_theirs(post, control):
                answer = spec.resolve_exclusive(spec.from_post(post, control), form.typed(spec))
                if answer is not None:
                    raw[spec.name] = answer
    if ignored:
        logger.info("ignored answers that nobody asks for: %r", sorted(name[:80] for name in ignored)[:20])
    return raw


def shown_regions(post: QueryDict) -> frozenset[str]:
    """The ids of the regions that the page showed when it was posted: one by one, or all in one value from script."""
    return frozenset(" ".join(post.getlist(_SHOWN)).split())


def keeps_theirs(post: QueryDict, control: str) -> bool:
    """Whether the person chose to keep what was stored meanwhile."""
    return post.get(f"{KEEP}{control}") == THEIRS


def posted_version(post: QueryDict) -> int:
    """The version that the page was drawn from; one that cannot be read is older than any."""
    version = parse_integer(post.get("version", ""), digits=9)
    return -1 if version is None else version


def recognised_answers(controls: Iterable[tuple[str, Iterable[str]]]) -> tuple[AnswerRow, ...]:
    """The answers among the controls of a form, each with its values; what is blank is left out.

    What no form of the catalog knows is told by the name of its control.
    """
    post = QueryDict(mutable=True)
    for name, values in controls:
        post.setlist(name, list(values))
    return tuple(row for row in _rows(post) if row.value)


def _rows(post: QueryDict) -> Iterator[AnswerRow]:
    if roles := [role for role in post.getlist(ROLES) if role]:
        yield AnswerRow(gettext("Roles"), role_words(roles))
    # The control that a part belongs to; names are quoted, so no other colon stands in them.
    controls = dict.fromkeys(":".join(name.split(":")[:2]) for name in post if name.startswith(_QUESTION))
    specs = _specs(controls) if controls else {}
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
    """The questions by control, of the form in the catalog that knows most of what was posted."""
    known = cached_catalog()
    forms = (product.item.form for product in known.items if product.item) if known else ()
    found = (form.cached(_by_control) for form in forms)
    return max(found, key=lambda specs: len(specs.keys() & controls), default={})


def _by_control(form: FormSchema) -> Mapping[str, FieldSpec]:
    specs = [spec for section in form.sections for group in section.groups.values() for spec in group]
    by_key = {control_name(spec): spec for spec in reversed(specs)}
    return {party_control(spec): spec for spec in reversed(specs)} | by_key
