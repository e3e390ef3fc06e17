"""A region: a run of neighbouring questions under the same rule.

It always stands in the page, hidden or not, so that what was typed there is kept, posted and restored; and a page says
in its post which regions it shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.contract import rules
from formation_portal.contract.localisation import get_language

from .controls import attributes, markup
from .question import AnswerRow, Question
from .rendering import why_markup

if TYPE_CHECKING:
    from .form import QuestionForm


@dataclass(frozen=True)
class Region:
    """A run of questions in a form. Without a rule it is always shown and needs no id."""

    id: str
    # The key of the heading that it stands under.
    entry: str
    asked: tuple[rules.Question, ...]
    form: QuestionForm = field(repr=False, compare=False)

    @property
    def is_conditional(self) -> bool:
        return bool(self.id)

    @property
    def shown(self) -> bool:
        return self.asked[0].activation.active

    @property
    def why(self) -> str:
        return self.form.why(self.asked[0])

    @property
    def when(self) -> str:
        """When it shows, as the script looks it up; empty where only the server can tell."""
        return self.form.when(self.asked[0]) if self.is_conditional else ""

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        return tuple(map(self.form.question, self.asked))

    @property
    def markup(self) -> SafeString:
        return markup("".join(map(self.form.markup_of, self.asked)))

    @property
    def html(self) -> SafeString:
        """The region in its page: always there, hidden or not. Its marker tells in a post that it is shown."""
        return self._html("")

    @property
    def swapped_html(self) -> SafeString:
        """The same, as an answer to htmx puts it into the page."""
        return self._html(' hx-swap-oob="true"')

    def _html(self, more: str) -> SafeString:
        if not self.is_conditional:
            return self.markup
        why, own_id = self.why, escape(self.id)
        is_hidden, is_disabled = ("", "") if self.shown else (" hidden", " disabled")
        return markup(
            f'<div class="region reveal{" lit" if why else ""}" id="{own_id}" data-questions="{len(self.asked)}"'
            f"{attributes(data_when=self.when)}{is_hidden}{more}>"
            f'<input type="hidden" name="shown" value="{own_id}"{is_disabled}>'
            f"{why_markup(why, get_language())}{self.markup}</div>"
        )


def _note(question: Question) -> str:
    if question.given:
        return gettext("Provided by your registered agent")
    return question.objection or question.advice or question.doubt


def answer_rows(regions: Iterable[Region]) -> tuple[AnswerRow, ...]:
    """The shown questions with their answers."""
    return tuple(
        AnswerRow(
            term=question.label,
            value="\n".join(question.given) or question.read_back,
            is_name=question.is_name,
            note=_note(question),
        )
        for region in regions
        if region.shown
        for question in region.questions
        if not question.unanswerable
    )
