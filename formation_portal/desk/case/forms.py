"""What agents post about a target: a query to the customer with its reason and an answer to propose, a note for
colleagues, and the facts to accept.
"""

from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import NON_FIELD_ERRORS
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
from ..shared_texts import SharedTexts

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


class QueryForm(forms.Form):
    """A query about one target, and a note about it. A template draws its controls.

    `spec` is the question there, where an answer can be proposed, and `proposed` that answer. `is_kept` where it was
    typed before and is a number that somebody is known by: then its box is empty, and stays so to keep it.
    """

    limit = MAX_TEXT
    # Whether a shared text was inserted just now.
    is_filled = False

    reason = forms.ChoiceField(
        choices=QueryReason.choices, required=False, error_messages={"invalid_choice": "Select a reason."}
    )
    text = forms.CharField(required=False, strip=False)
    # Drawn and read as the customer's question is; the field takes its errors.
    proposal = forms.Field(required=False)
    note = forms.CharField(required=False, strip=False)

    def __init__(
        self, target: Target, spec: FieldSpec | None = None, *, proposed: Any = None, is_kept: bool = False, **more: Any
    ) -> None:
        super().__init__(**more)
        self.target = target
        self.spec = spec
        self.proposed = proposed
        self.is_kept = is_kept

    @property
    def key(self) -> str:
        """What its controls' ids end with."""
        return control_id(str(self.target))

    @property
    def chosen(self) -> str:
        """The code of the chosen reason."""
        return self._value("reason")

    @property
    def reasons(self) -> list[tuple[QueryReason, str]]:
        """The reasons that fit the target, and the one that is chosen whatever it is; each with the text that it fills
        in."""
        fitting = _OF_A_PAPER if self.target.kind is TargetKind.DOCUMENT else _OF_WORDS
        return [(reason, _WORDS[reason]) for reason in QueryReason if reason in fitting or reason == self.chosen]

    @property
    def question(self) -> Question | None:
        """The answer that may be proposed, as the customer is asked for it."""
        if self.spec is None:
            return None
        error = str(self.errors["proposal"][0]) if "proposal" in self.errors else ""
        typed = None if self.is_kept else self.proposed
        return Question(self.spec, _control(self.target), typed=typed, error=error, optional=True)

    @property
    def drawn_question(self) -> str:
        """Its markup."""
        question = self.question
        return markup(render(question)) if question else ""

    @property
    def mask(self) -> Mask | None:
        """What is seen of a proposal that is kept."""
        return mask_of(answer_in_words(self.spec, self.proposed)) if self.spec and self.is_kept else None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The first error of each control, in their order; what is wrong with the whole stands at the text."""
        text_id = f"ask-text:{self.key}"
        question = self.question
        ids = {
            NON_FIELD_ERRORS: text_id,
            "reason": f"ask-reason:{self.key}",
            "text": text_id,
            "proposal": question.error_id if question else text_id,
            "note": f"ask-note:{self.key}",
        }
        return tuple(Problem(id_, str(self.errors[name][0])) for name, id_ in ids.items() if name in self.errors)

    @property
    def typed(self) -> tuple[tuple[str, str], ...]:
        """The texts by their labels, to be copied where the form is gone."""
        return ("Message to the customer", self._value("text")), ("For colleagues only", self._value("note"))

    @property
    def is_a_note_alone(self) -> bool:
        """Whether only colleagues are told something."""
        is_query = self._value("text").strip() or self.chosen or self.proposed is not None
        return bool(self._value("note").strip()) and not is_query

    @property
    def words(self) -> str:
        """What the customer will read: what was typed, else what goes with the reason, or with a proposal."""
        standard = _WORDS[QueryReason(self.chosen)] if self.chosen in QueryReason.values else ""
        return self._value("text").strip() or standard or (_TEXT_WITH_PROPOSAL if self.proposed is not None else "")

    def add_refusal(self, refused: ReviewRefused) -> None:
        """Show why the review refuses it at its control."""
        self.add_error(refused.field or None, refused.message)

    def insert(self, texts: SharedTexts, chosen: str) -> None:
        """Insert a shared text into the message."""
        self.data = {**self.data, "text": texts.inserted(self._value("text"), chosen)}
        self.is_filled = True

    @transaction.atomic
    def store(self, draft: Draft, *, by: AbstractBaseUser, version: ReviewVersion) -> None:
        """Draft the query, keep the note, or both. Raises as `draft_query` and `write_note`; then neither is kept."""
        note = self._value("note")
        has_note, reason = bool(note.strip()), self.chosen or QueryReason.OTHER
        if not self.is_a_note_alone:
            # Where the very same is drafted there, the note alone is new.
            drafted = draft_at(draft, self.target) if has_note else None
            new = (reason, self.words, self.proposed)
            if drafted is None or (drafted.reason, drafted.text, drafted.proposal) != new:
                draft_query(
                    draft, self.target, text=self.words, reason=reason, proposal=self.proposed, by=by, version=version
                )
        if has_note:
            write_note(draft, self.target, text=note, by=by)

    def _value(self, name: str) -> str:
        return str(self[name].value() or "")


def query_form(draft: Draft, target: Target, drafted: Query | None = None) -> QueryForm:
    """An empty form about a target, or what is drafted about it."""
    spec = _proposable(draft, target)
    if drafted is None:
        return QueryForm(target, spec)
    is_kept = drafted.proposal is not None and is_identity_number(draft, target)
    written = {"reason": drafted.reason, "text": drafted.text}
    return QueryForm(target, spec, proposed=drafted.proposal, is_kept=is_kept, initial=written)


def posted_query_form(draft: Draft, target: Target, post: QueryDict) -> QueryForm:
    """What was posted about a target. One query where a number that is proposed already is kept."""
    spec, is_withdrawn = _proposable(draft, target), bool(post.get("no_proposal"))
    typed = spec.from_post(post, _control(target)) if spec and not is_withdrawn else None
    keeps = "keeps" in post and not is_withdrawn and is_blank(typed)
    drafted = draft_at(draft, target) if keeps else None
    is_kept = drafted is not None and drafted.proposal is not None
    proposed = drafted.proposal if drafted else None if is_blank(typed) else typed
    return QueryForm(target, spec, proposed=proposed, is_kept=is_kept, data=post.dict())


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
