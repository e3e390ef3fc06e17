"""Read the forms about targets: a query with a reason and a proposed answer, a note, and the facts to accept."""

from collections.abc import Mapping
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

_STANDARD_TEXTS: Mapping[str, str] = {
    QueryReason.DIFFERS: "This does not match the document. Correct the answer or upload a document that matches.",
    QueryReason.UNREADABLE: "A page is cut off or unreadable. Upload it again with all four corners visible.",
    QueryReason.OUTDATED: "This document is too old. Upload a newer one.",
    QueryReason.WRONG: "This is not the document we need here. Upload the right one.",
    QueryReason.MISSING: "Something is missing here. Add the missing information.",
    QueryReason.UNCLEAR: "This answer is unclear. Give more detail.",
    QueryReason.OTHER: "",
}
_DOCUMENT_REASONS = {
    QueryReason.UNREADABLE,
    QueryReason.OUTDATED,
    QueryReason.WRONG,
    QueryReason.DIFFERS,
    QueryReason.OTHER,
}
_ANSWER_REASONS = {QueryReason.DIFFERS, QueryReason.UNCLEAR, QueryReason.MISSING, QueryReason.OTHER}

_TEXT_WITH_PROPOSAL = "We propose a different answer. Accept it or tell us what is right."


class QueryForm(forms.Form):
    """A query about one target, and a note about it. A template draws its controls.

    `spec` is the field for which an answer can be proposed, if any; `proposed` is that answer. `is_kept`: an identity
    number is proposed already, and stays so if its control is left empty.
    """

    limit = MAX_TEXT
    # Set when a shared text was inserted.
    is_filled = False

    reason = forms.ChoiceField(
        choices=QueryReason.choices, required=False, error_messages={"invalid_choice": "Select a reason."}
    )
    text = forms.CharField(required=False, strip=False)
    # Drawn and read like the customer's question; this field only has the errors.
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
        # Replaces a kept identity number.
        self.mask: Mask | None = None
        if spec and is_kept:
            self.mask = mask_of(answer_in_words(spec, proposed))
        # The suffix of control ids.
        self.key = control_id(str(target))
        self.chosen = self._value("reason")

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Return the reasons that fit the target or are chosen, each with its standard text."""
        fitting = _ANSWER_REASONS
        if self.target.kind is TargetKind.DOCUMENT:
            fitting = _DOCUMENT_REASONS
        return [row for row in _STANDARD_TEXTS.items() if row[0] in fitting or row[0] == self.chosen]

    @property
    def question(self) -> Question | None:
        if self.spec is None:
            return None
        error = str(self.errors.get("proposal", [""])[0])
        typed = None if self.is_kept else self.proposed
        return Question(self.spec, _control(self.target), typed=typed, error=error, optional=True)

    @property
    def drawn_question(self) -> str:
        if question := self.question:
            return markup(render(question))
        return ""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the first error of each control; errors of the whole form link to the text."""
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
        return ("Message to the customer", self._value("text")), ("For colleagues only", self._value("note"))

    @property
    def is_a_note_alone(self) -> bool:
        is_query = self._value("text").strip() or self.chosen or self.proposed is not None
        return bool(self._value("note").strip()) and not is_query

    @property
    def message(self) -> str:
        """Return the message to the customer: the typed text, else the standard text of the reason or of a proposal."""
        text = self._value("text").strip() or _STANDARD_TEXTS.get(self.chosen, "")
        if not text and self.proposed is not None:
            return _TEXT_WITH_PROPOSAL
        return text

    def add_refusal(self, refused: ReviewRefused) -> None:
        self.add_error(refused.field or None, refused.message)

    def insert(self, texts: SharedTexts, chosen: str) -> None:
        self.data = {**self.data, "text": texts.inserted(self._value("text"), chosen)}
        self.is_filled = True

    @transaction.atomic
    def store(self, draft: Draft, *, by: AbstractBaseUser, version: ReviewVersion) -> None:
        """Draft the query, write the note, or both together. Raises as `draft_query` and `write_note`."""
        note = self._value("note")
        values: dict[str, Any] = {
            "text": self.message,
            "reason": self.chosen or QueryReason.OTHER,
            "proposal": self.proposed,
        }
        if not self.is_a_note_alone:
            # If an equal query is drafted already, only the note is new.
            drafted = draft_at(draft, self.target) if note.strip() else None
            if drafted is None or any(getattr(drafted, name) != value for name, value in values.items()):
                draft_query(draft, self.target, **values, by=by, version=version)
        if note.strip():
            write_note(draft, self.target, text=note, by=by)

    def _value(self, name: str) -> str:
        return str(self[name].value() or "")


def query_form(draft: Draft, target: Target, drafted: Query | None = None) -> QueryForm:
    """Return a form about a target, with the values of the drafted query, if any."""
    spec = _proposable(draft, target)
    if drafted is None:
        return QueryForm(target, spec)
    is_kept = drafted.proposal is not None and is_identity_number(draft, target)
    initial = {"reason": drafted.reason, "text": drafted.text}
    return QueryForm(target, spec, proposed=drafted.proposal, is_kept=is_kept, initial=initial)


def posted_query_form(draft: Draft, target: Target, post: QueryDict) -> QueryForm:
    """Read the form about a target. One SQL query where a proposed number is kept."""
    spec = _proposable(draft, target)
    if spec is None or post.get("no_proposal"):
        return QueryForm(target, spec, data=post.dict())
    proposed = spec.from_post(post, _control(target))
    is_kept = False
    if is_blank(proposed):
        proposed = None
        if "keeps" in post and (drafted := draft_at(draft, target)):
            proposed = drafted.proposal
        is_kept = proposed is not None
    return QueryForm(target, spec, proposed=proposed, is_kept=is_kept, data=post.dict())


def _proposable(draft: Draft, target: Target) -> FieldSpec | None:
    """Return the field that the target asks about; None without a field, or if no answer can be proposed."""
    spec = field_at(draft, target)
    if spec is None or spec.provided_by_agent or spec.refers_to_share_class or draft.schema.why_unanswerable(spec):
        return None
    return spec


def _control(target: Target) -> str:
    return f"p:{target}"


# No page has more facts.
_MAX_TARGETS = 2_000


def posted_targets(post: QueryDict) -> tuple[Target, ...]:
    """Return the ticked targets, or for the button "all" the remaining targets of the page."""
    texts = post.getlist("left" if "all" in post else "place")[:_MAX_TARGETS]
    return tuple(dict.fromkeys(filter(None, map(Target.parse, texts))))
