"""What agents post about a target: a query to the customer with its reason and an answer to propose, a note for
colleagues, and the facts to accept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.http import QueryDict

from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import answer_in_words
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.reviews.models import MAX_TEXT, Query, QueryReason
from formation_portal.reviews.queries import draft_at, draft_query, write_note
from formation_portal.reviews.targets import Target, TargetKind, field_at
from formation_portal.reviews.transactions import ReviewRefused, ReviewVersion
from formation_portal.ui.forms.controls import Problem, control_id, markup
from formation_portal.ui.forms.question import Question
from formation_portal.ui.forms.rendering import render

from ..masking import Mask, is_identity_number, mask_of

_WORDS = {
    QueryReason.DIFFERS: "This does not match the document. Correct the answer or upload a document that matches.",
    QueryReason.UNREADABLE: "A page is cut off or unreadable. Upload it again with all four corners visible.",
    QueryReason.OUTDATED: "This document is too old. Upload a newer one.",
    QueryReason.WRONG: "This is not the document we need here. Upload the right one.",
    QueryReason.MISSING: "Something is missing here. Add the missing information.",
    QueryReason.UNCLEAR: "This answer is unclear. Give more detail.",
    QueryReason.OTHER: "",
}
_OF_A_PAPER = (QueryReason.UNREADABLE, QueryReason.OUTDATED, QueryReason.WRONG, QueryReason.DIFFERS, QueryReason.OTHER)
_OF_WORDS = (QueryReason.DIFFERS, QueryReason.UNCLEAR, QueryReason.MISSING, QueryReason.OTHER)

# Where an answer is proposed, and nothing said.
_TEXT_WITH_PROPOSAL = "We propose a different answer. Accept it or tell us what is right."


@dataclass(frozen=True, slots=True)
class QueryForm:
    """The form about one target, as it stands or as it was typed. `spec` is the question there, where an answer can be
    proposed; `errors` are by control. `is_kept` where the proposal was typed before, and is a number that somebody is
    known by: then its box is empty, and stays so to keep it.
    """

    target: Target
    spec: FieldSpec | None = None
    reason: str = ""
    text: str = ""
    proposal: Any = None
    is_kept: bool = False
    note: str = ""
    # Whether a shared text was inserted just now.
    is_filled: bool = False
    errors: Mapping[str, str] = field(default_factory=dict)

    limit = MAX_TEXT

    @property
    def key(self) -> str:
        """What its controls' ids end with."""
        return control_id(str(self.target))

    @property
    def reasons(self) -> list[tuple[QueryReason, str]]:
        """The reasons that fit the target, and the one that is chosen whatever it is; each with the text that it fills
        in."""
        fitting = _OF_A_PAPER if self.target.kind is TargetKind.DOCUMENT else _OF_WORDS
        return [(reason, _WORDS[reason]) for reason in QueryReason if reason in fitting or reason == self.reason]

    @property
    def question(self) -> Question | None:
        """The answer that may be proposed, as the customer is asked for it."""
        if self.spec is None:
            return None
        error = self.errors.get("proposal", "")
        typed = None if self.is_kept else self.proposal
        return Question(self.spec, _control(self.target), typed=typed, error=error, optional=True)

    @property
    def drawn_question(self) -> str:
        """Its markup."""
        question = self.question
        return markup(render(question)) if question else ""

    @property
    def mask(self) -> Mask | None:
        """What is seen of a proposal that is kept."""
        return mask_of(answer_in_words(self.spec, self.proposal)) if self.spec and self.is_kept else None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong, in the order of the controls; what is wrong with the whole stands at the text."""
        question = self.question
        ids = {"": f"ask-text:{self.key}", "proposal": question.error_id if question else f"ask-text:{self.key}"}
        targets = ("", "reason", "text", "proposal", "note")
        return tuple(
            Problem(ids.get(one, f"ask-{one}:{self.key}"), self.errors[one]) for one in targets if one in self.errors
        )

    def with_error(self, refused: ReviewRefused) -> "QueryForm":
        """The same with what was wrong at its control."""
        return replace(self, errors={refused.field: refused.message})

    @property
    def is_a_note_alone(self) -> bool:
        """Whether only colleagues are told something."""
        return bool(self.note.strip()) and not (self.text.strip() or self.reason or self.proposal is not None)

    @property
    def words(self) -> str:
        """What the customer will read: what was typed, else what goes with the reason, or with a proposal."""
        standard = _WORDS[QueryReason(self.reason)] if self.reason in QueryReason.values else ""
        return self.text.strip() or standard or (_TEXT_WITH_PROPOSAL if self.proposal is not None else "")


def query_form(draft: Draft, target: Target, drafted: Query | None = None) -> QueryForm:
    """An empty form about a target, or what is drafted about it."""
    spec = _proposable(draft, target)
    if drafted is None:
        return QueryForm(target, spec)
    is_kept = drafted.proposal is not None and is_identity_number(draft, target)
    return QueryForm(target, spec, reason=drafted.reason, text=drafted.text, proposal=drafted.proposal, is_kept=is_kept)


def posted_query_form(draft: Draft, target: Target, post: QueryDict) -> QueryForm:
    """What was posted about a target. One query where a number that is proposed already is kept."""
    spec, is_withdrawn = _proposable(draft, target), bool(post.get("no_proposal"))
    typed = spec.from_post(post, _control(target)) if spec and not is_withdrawn else None
    keeps = "keeps" in post and not is_withdrawn and is_blank(typed)
    drafted = draft_at(draft, target) if keeps else None
    is_kept = drafted is not None and drafted.proposal is not None
    return QueryForm(
        target,
        spec,
        reason=post.get("reason", ""),
        text=post.get("text", ""),
        proposal=drafted.proposal if drafted else None if is_blank(typed) else typed,
        is_kept=is_kept,
        note=post.get("note", ""),
    )


@transaction.atomic
def store_query(draft: Draft, form: QueryForm, *, by: AbstractBaseUser, version: ReviewVersion) -> None:
    """Draft the query, keep the note, or both. Raises as `draft_query` and `write_note`; then neither is kept."""
    has_note, reason = bool(form.note.strip()), form.reason or QueryReason.OTHER
    if not form.is_a_note_alone:
        # Where the very same is drafted there, the note alone is new.
        drafted = draft_at(draft, form.target) if has_note else None
        new = (reason, form.words, form.proposal)
        if drafted is None or (drafted.reason, drafted.text, drafted.proposal) != new:
            draft_query(
                draft, form.target, text=form.words, reason=reason, proposal=form.proposal, by=by, version=version
            )
    if has_note:
        write_note(draft, form.target, text=form.note, by=by)


def _proposable(draft: Draft, target: Target) -> FieldSpec | None:
    """The question that is the target, unless it can only be answered where its form stands."""
    spec = field_at(draft, target)
    if spec is None or spec.provided_by_agent or spec.refers_to_share_class or draft.schema.why_unanswerable(spec):
        return None
    return spec


def _control(target: Target) -> str:
    return f"p:{target}"


# No page shows more facts.
_MOST_PLACES = 2_000


def posted_targets(post: QueryDict) -> tuple[Target, ...]:
    """The ticked targets, or, by the button that accepts all, those that the page had left; what names none is passed
    over."""
    texts = post.getlist("left" if "all" in post else "place")[:_MOST_PLACES]
    found = (Target.parse(text) for text in texts)
    return tuple(dict.fromkeys(target for target in found if target is not None))
