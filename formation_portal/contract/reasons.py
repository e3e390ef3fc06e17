"""Rules in words: why a question is asked, when one would be, and why a role needs as many as it does.

The answer comes first and the question that it answers last, since that is how people recognise what they said.
"""

from collections.abc import Sequence
from typing import Any, Literal

from .conditions import INCLUDES_ANY, Condition
from .fields.base import FieldSpec
from .fields.values import AnswerError, includes_any
from .localisation import gettext, gettext_noop, join_list

# Each sentence twice: for a question with one answer, and for one where several can be chosen.
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


def asked_because(rule: Condition, named: FieldSpec, held: Any) -> str:
    """Why it is asked, with the very answer that was given; of several choices those that the rule looks for."""
    if rule.operator == INCLUDES_ANY and named.many:
        held = tuple(one for one in rule.named_values() if includes_any(held, [one]))
    return _sentence(_ASKED_BECAUSE, named, _answer_values(named, held), "and")


def asked_where(rule: Condition, named: FieldSpec) -> str:
    """Why it is asked wherever it is; of several answers nobody can tell beforehand which one was given."""
    words = _rule_values(rule, named)
    return _sentence(_ASKED_BECAUSE if len(words) == 1 else _ASKED_WHEN, named, words, "or")


def only_asked_if(rule: Condition, named: FieldSpec) -> str:
    """What would have to be answered for it to be asked."""
    return _sentence(_ONLY_ASKED_IF, named, _rule_values(rule, named), "or")


def only_if(rule: Condition, named: FieldSpec) -> str:
    """The same as the head of a list, before anything is asked at all."""
    return _sentence(_ONLY_IF, named, _rule_values(rule, named), "or")


def if_answered(named: FieldSpec, values: Sequence[Any]) -> str:
    """Which answers would decide: the end of a sentence."""
    return _sentence(_IF, named, [in_words(named, value) for value in values], "or")


def because(named: FieldSpec, held: Any) -> str:
    """Which answer decides: the end of a sentence."""
    return _sentence(_BECAUSE, named, _answer_values(named, held), "and")


def in_words(named: FieldSpec, value: Any) -> str:
    """A rule's value as people read it in the field that the rule names."""
    # A rule may name a value that its field can't take; then it is shown as it is.
    try:
        read = named.clean([value] if named.many and not isinstance(value, list) else value)
    except AnswerError:
        read = None
    return str(value) if read is None else named.display(read)


def _rule_values(rule: Condition, named: FieldSpec) -> list[str]:
    values = rule.named_values() if rule.operator == INCLUDES_ANY else (rule.value,)
    return [in_words(named, value) for value in values]


def _answer_values(named: FieldSpec, held: Any) -> list[str]:
    return [in_words(named, one) for one in held] if named.many else [named.display(held)]


def _sentence(sentences: tuple[str, str], named: FieldSpec, words: Sequence[str], last: Literal["and", "or"]) -> str:
    return gettext(sentences[named.many], words=join_list(words, last), label=named.label)
