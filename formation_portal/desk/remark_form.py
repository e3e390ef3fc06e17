"""What an agent types to ask about a place: words for the customer, an answer to propose, a note for colleagues."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.http import QueryDict

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.localisation import get_language
from formation_portal.reviews.changes_since import ReviewVersion
from formation_portal.reviews.exceptions import ReviewRefused
from formation_portal.reviews.models import MAX_TEXT, Query, QueryReason
from formation_portal.reviews.notes import write_note
from formation_portal.reviews.queries import draft_at, draft_query
from formation_portal.reviews.targets import Target, field_at
from formation_portal.ui.formats import schema_language
from formation_portal.ui.forms.controls import control_id, markup
from formation_portal.ui.forms.question import Question
from formation_portal.ui.forms.rendering import render_question
from formation_portal.ui.readback import answer_in_words

from .decision_form import Problem
from .masks import Mask, is_masked, mask_of
from .remark_reasons import WITH_A_PROPOSAL, ReasonRow, reason_rows, words_of


@dataclass(frozen=True, slots=True)
class RemarkForm:
    """The form at one place, as it stands or as it was typed. `spec` is the question there, where it can be proposed
    an answer; `errors` are by control. `is_kept` where the proposal was typed before, and is a number that somebody is
    known by: then its box is empty, and stays so to keep it.
    """

    place: Target
    spec: FieldSpec | None = None
    reason: str = ""
    text: str = ""
    proposal: Any = None
    is_kept: bool = False
    note: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)

    limit = MAX_TEXT

    @property
    def key(self) -> str:
        """What its controls' ids end with."""
        return control_id(str(self.place))

    @property
    def reasons(self) -> tuple[ReasonRow, ...]:
        return reason_rows(self.place.kind, self.reason)

    @property
    def question(self) -> Question | None:
        """The answer that may be proposed, as the customer is asked for it."""
        if self.spec is None:
            return None
        error = self.errors.get("proposal", "")
        typed = None if self.is_kept else self.proposal
        return Question(self.spec, _control(self.place), typed=typed, error=error, optional=True)

    @property
    def drawn_question(self) -> str:
        """Its markup."""
        question = self.question
        return markup(render_question(question, f"{get_language()} {schema_language()}")) if question else ""

    @property
    def mask(self) -> Mask | None:
        """What is seen of a proposal that is kept."""
        return mask_of(answer_in_words(self.spec, self.proposal)) if self.spec and self.is_kept else None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong, in the order of the controls; what is wrong with the whole stands at the text."""
        question = self.question
        ids = {"": f"ask-text:{self.key}", "proposal": question.error_id if question else f"ask-text:{self.key}"}
        places = ("", "reason", "text", "proposal", "note")
        return tuple(
            Problem(ids.get(one, f"ask-{one}:{self.key}"), self.errors[one]) for one in places if one in self.errors
        )

    @property
    def reason_error(self) -> str:
        return self.errors.get("reason", "")

    @property
    def text_error(self) -> str:
        return self.errors.get("text", "")

    @property
    def note_error(self) -> str:
        return self.errors.get("note", "")

    def with_error(self, refused: ReviewRefused) -> "RemarkForm":
        """The same with what was wrong at its control."""
        return replace(self, errors={refused.field: refused.message})

    @property
    def is_a_note_alone(self) -> bool:
        """Whether only colleagues are told something."""
        return bool(self.note.strip()) and not (self.text.strip() or self.reason or self.proposal is not None)

    @property
    def words(self) -> str:
        """What the customer will read: what was typed, else what goes with the reason, or with a proposal."""
        if self.text.strip() or self.proposal is None:
            return self.text.strip() or words_of(self.reason)
        return words_of(self.reason) or WITH_A_PROPOSAL


def form_at(draft: Draft, place: Target, drafted: Query | None = None) -> RemarkForm:
    """An empty form for a place, or what is drafted there."""
    spec = _proposable(draft, place)
    if drafted is None:
        return RemarkForm(place, spec)
    is_kept = drafted.proposal is not None and is_masked(draft, place)
    return RemarkForm(place, spec, reason=drafted.reason, text=drafted.text, proposal=drafted.proposal, is_kept=is_kept)


def posted_form(draft: Draft, place: Target, post: QueryDict) -> RemarkForm:
    """What was posted for a place. One query where a number that is proposed already is kept."""
    spec, is_withdrawn = _proposable(draft, place), bool(post.get("no_proposal"))
    typed = spec.from_post(post, _control(place)) if spec and not is_withdrawn else None
    keeps = "keeps" in post and not is_withdrawn and is_blank(typed)
    drafted = draft_at(draft, place) if keeps else None
    is_kept = drafted is not None and drafted.proposal is not None
    return RemarkForm(
        place,
        spec,
        reason=post.get("reason", ""),
        text=post.get("text", ""),
        proposal=drafted.proposal if drafted else None if is_blank(typed) else typed,
        is_kept=is_kept,
        note=post.get("note", ""),
    )


@transaction.atomic
def keep(draft: Draft, form: RemarkForm, *, by: AbstractBaseUser, sight: ReviewVersion) -> None:
    """Draft the remark, keep the note, or both. Raises as `draft_query` and `write_note`; then neither is kept."""
    if not form.is_a_note_alone and not (form.note.strip() and _is_drafted_so(draft, form)):
        reason = form.reason or QueryReason.OTHER
        draft_query(draft, form.place, text=form.words, reason=reason, proposal=form.proposal, by=by, version=sight)
    if form.note.strip():
        write_note(draft, form.place, text=form.note, by=by)


def _is_drafted_so(draft: Draft, form: RemarkForm) -> bool:
    """Whether the very same is drafted there, so that the note alone is new."""
    drafted = draft_at(draft, form.place)
    new = (form.reason or QueryReason.OTHER, form.words, form.proposal)
    return drafted is not None and (drafted.reason, drafted.text, drafted.proposal) == new


def _proposable(draft: Draft, place: Target) -> FieldSpec | None:
    """The question at a place, unless it can only be answered where its form stands."""
    spec = field_at(draft, place)
    if spec is None or spec.provided_by_agent or spec.refers_to_share_class or draft.schema.why_unanswerable(spec):
        return None
    return spec


def _control(place: Target) -> str:
    return f"p:{place}"
