"""Put rules into words: why a question is asked, when it would be, and why a role has its minimum.

The answer comes first and its question last, as people best recognise answers.
"""

from collections.abc import Sequence
from typing import Any, Literal

from .conditions import INCLUDES_ANY, Condition
from .fields.base import FieldSpec
from .fields.values import AnswerError, includes_any
from .localisation import gettext, gettext_noop, join_list

# Each sentence in two forms: for a question with a single answer, and for a question with several choices.
_ASKED_BECAUSE = (
    gettext_noop("Asked because you answered {words} to “{label}”"),
    gettext_noop("Asked because you chose {words} under “{label}”"),
)
_ASKED_WHEN = (
    gettext_noop("Asked if you answer {words} to “{label}”"),
    gettext_noop("Asked if you choose {words} under “{label}”"),
)
_ONLY_ASKED_IF = (
    gettext_noop("Only asked if you answer {words} to “{label}”"),
    gettext_noop("Only asked if you choose {words} under “{label}”"),
)
_ONLY_IF = (
    gettext_noop("Only if you answer {words} to “{label}”"),
    gettext_noop("Only if you choose {words} under “{label}”"),
)
_IF = (
    gettext_noop("if you answer {words} to “{label}”"),
    gettext_noop("if you choose {words} under “{label}”"),
)
_BECAUSE = (
    gettext_noop("because you answered {words} to “{label}”"),
    gettext_noop("because you chose {words} under “{label}”"),
)


def asked_because(rule: Condition, field: FieldSpec, answer: Any) -> str:
    """Tell why a question is asked: quote the answer or, of several chosen options, those that the rule names."""
    if rule.operator == INCLUDES_ANY and field.many:
        answer = tuple(value for value in rule.named_values() if includes_any(answer, [value]))
    return _sentence(_ASKED_BECAUSE, field, _answer_texts(field, answer), "and")


def asked_where(rule: Condition, field: FieldSpec) -> str:
    """Tell why a question is asked or, for a rule with several values, when it would be."""
    texts = _rule_texts(rule, field)
    return _sentence(_ASKED_BECAUSE if len(texts) == 1 else _ASKED_WHEN, field, texts, "or")


def only_asked_if(rule: Condition, field: FieldSpec) -> str:
    """Tell which answers lead to a question."""
    return _sentence(_ONLY_ASKED_IF, field, _rule_texts(rule, field), "or")


def only_if(rule: Condition, field: FieldSpec) -> str:
    return _sentence(_ONLY_IF, field, _rule_texts(rule, field), "or")


def if_answered(field: FieldSpec, values: Sequence[Any]) -> str:
    """Return the end of a sentence, like: if you answer “A” or “B” to “Label”."""
    return _sentence(_IF, field, [in_words(field, value) for value in values], "or")


def because(field: FieldSpec, answer: Any) -> str:
    return _sentence(_BECAUSE, field, _answer_texts(field, answer), "and")


def in_words(field: FieldSpec, value: Any) -> str:
    """Return a rule's value as the field displays it. A value that the field cannot have is returned as it is."""
    try:
        answer = field.clean_choice(value)
    except AnswerError:
        answer = None
    if answer is None:
        return str(value)
    return field.display(answer)


def _rule_texts(rule: Condition, field: FieldSpec) -> list[str]:
    return [in_words(field, value) for value in rule.named_values()]


def _answer_texts(field: FieldSpec, answer: Any) -> list[str]:
    return [in_words(field, value) for value in answer] if field.many else [field.display(answer)]


def _sentence(sentences: tuple[str, str], field: FieldSpec, texts: Sequence[str], last: Literal["and", "or"]) -> str:
    return gettext(sentences[field.many], words=join_list(texts, last), label=field.label)
