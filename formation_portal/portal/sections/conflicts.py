"""A save that could not be made as it was typed: both versions, field by field, or what was typed, to be copied."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.readback import answer_in_words
from formation_portal.applications.services import KeptTheirs, Stale
from formation_portal.contract.localisation import in_quotes
from formation_portal.ui.formats import listed, time_or_day
from formation_portal.ui.forms.form import AnswerRow, QuestionForm
from formation_portal.ui.forms.form_data import KEEP, PAGE_VERSION, THEIRS

from ..pages import customer_name
from ..review_feedback import posted_replies

Reader = AbstractBaseUser | AnonymousUser


# What the page posts besides answers is worked out anew.
_NOT_CARRIED = ("csrfmiddlewaretoken", "version", PAGE_VERSION)
_AT_A_SLOT = ("slot", "removal")


@dataclass(frozen=True, slots=True)
class FieldConflict:
    """One answer in both versions; `control` names the question in the form.

    `change` is who has saved theirs, where the history tells; `is_left` where only they have changed it, so that there
    is nothing to choose.
    """

    control: str
    label: str
    mine: str
    theirs: str
    change: Change | None = None
    is_left: bool = False


@dataclass(frozen=True, slots=True)
class ConflictChoice:
    """A clash as the page asks about it; `said` tells who has saved theirs, and when."""

    control: str
    label: str
    mine: str
    theirs: str
    said: str


@dataclass(frozen=True, slots=True)
class ConflictPage:
    """Everything the page needs: the choices, what only others have changed, and the whole post, to be sent again."""

    draft: Draft
    title: str
    company: str
    url: str
    version: int
    choices: tuple[ConflictChoice, ...]
    left: tuple[FieldConflict, ...]
    hidden_controls: tuple[tuple[str, str], ...]


def conflict_page(
    draft: Draft,
    clashes: Sequence[FieldConflict],
    post: QueryDict,
    *,
    title: str,
    url: str,
    version: int,
    reader: Reader,
) -> ConflictPage:
    """The page for a post that was not saved."""
    left = tuple(clash for clash in clashes if clash.is_left)
    choices = tuple(
        ConflictChoice(clash.control, clash.label, clash.mine, clash.theirs, _said(clash.change, reader))
        for clash in clashes
        if not clash.is_left
    )
    # What the page shows of these is old, so that it must not be sent as if it were meant.
    settled = tuple((f"{KEEP}{clash.control}", THEIRS) for clash in left)
    return ConflictPage(draft, title, draft.title, url, version, choices, left, (*hidden_controls(post), *settled))


def field_conflicts(form: QuestionForm, stale: Stale) -> tuple[FieldConflict, ...]:
    """The answers that differ, in the order of the questions."""
    return tuple(
        FieldConflict(
            control=question.name,
            label=question.label,
            mine=answer_in_words(question.spec, stale.posted[question.spec.name], form.share_classes),
            theirs=answer_in_words(question.spec, stale.stored.get(question.spec.name), form.share_classes),
            change=stale.changes.get(question.spec.name),
            is_left=question.spec.name in stale.kept_theirs,
        )
        for question in form.questions
        if question.spec.name in (*stale.fields, *stale.kept_theirs)
    )


def _said(change: Change | None, reader: Reader) -> str:
    # Whoever has no account was asked for their own part, and is told nothing of who else works on the application.
    if change is None or change.who is None or reader.pk is None:
        return gettext("As it is now")
    words = {"name": customer_name(change.who) or gettext("someone else"), "time": time_or_day(change.at)}
    if change.who_id == reader.pk:
        return gettext("As you saved it in another window on %(time)s") % words
    return gettext("As %(name)s saved it on %(time)s") % words


def kept_theirs_words(labels: Iterable[str]) -> str:
    """What was changed elsewhere, and stays so, in a sentence; empty where nothing was."""
    named = [in_quotes(label) for label in labels]
    if not named:
        return ""
    words = {"names": listed(named)}
    if len(named) == 1:
        return gettext("%(names)s was changed in another window. We kept the answer saved there.") % words
    return gettext("%(names)s were changed in another window. We kept the answers saved there.") % words


def kept_theirs_labels(form: QuestionForm, left: KeptTheirs) -> tuple[str, ...]:
    """The labels of the questions whose answers were left, in their order."""
    return tuple(dict.fromkeys(question.label for question in form.questions if question.spec.name in left))


def hidden_controls(post: QueryDict, *, but: Collection[str] = _NOT_CARRIED) -> tuple[tuple[str, str], ...]:
    """The post as hidden inputs, so that nothing typed is lost on the way; choices of an earlier clash left out.

    A button that was pressed at a slot is not pressed again, but leads back to the page as it would have. The controls
    that `but` names are made anew by the page.
    """
    return tuple(
        ("update", "1") if name in _AT_A_SLOT else (name, str(value))
        for name, values in post.lists()
        if name not in but and not name.startswith(KEEP)
        for value in values
    )


def unsaved_rows(form: QuestionForm, raw: Mapping[str, Any]) -> tuple[AnswerRow, ...]:
    """What was posted and is not what stands there, to be read and copied where it could not be saved."""
    posted = ((one, answer_in_words(one.spec, raw.get(one.spec.name), form.share_classes)) for one in form.questions)
    return tuple(
        AnswerRow(question.label, words, question.is_name)
        for question, words in posted
        if words and words != answer_in_words(question.spec, question.typed, form.share_classes)
    )


def unsaved_replies(post: QueryDict) -> tuple[AnswerRow, ...]:
    """What was written to our reviewer, likewise."""
    written = (reply.text for reply in posted_replies(post) if reply.text.strip())
    return tuple(AnswerRow(gettext("Your reply to our reviewer"), text) for text in written)


def accepted_words(labels: Iterable[str]) -> str:
    """That what was posted of these is left, since it was accepted; empty where nothing was."""
    named = [in_quotes(label) for label in labels]
    if not named:
        return ""
    words = {"names": listed(named)}
    if len(named) == 1:
        return gettext("%(names)s was not changed, because our reviewer has accepted it.") % words
    return gettext("%(names)s were not changed, because our reviewer has accepted them.") % words
