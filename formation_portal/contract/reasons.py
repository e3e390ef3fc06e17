"""Rules in words: why a question is asked, when one would be, and why a role needs as many as it does.

The answer comes first and the question that it answers last, since that is how people recognise what they said.
"""

from collections.abc import Sequence
from typing import Any, Literal

from .conditions import INCLUDES_ANY, Condition
from .field import FieldSpec
from .language import listed, noted, say
from .problems import AnswerError
from .values import includes_any

# Each sentence twice: for a question with one answer, and for one where several can be chosen.
_ASKED_BECAUSE = (
    noted("Asked because you answered {words} to “{label}”"),
    noted("Asked because you chose {words} under “{label}”"),
)
_ASKED_WHEN = (
    noted("Asked if you answer {words} to “{label}”"),
    noted("Asked if you choose {words} under “{label}”"),
)
_ONLY_ASKED_IF = (
    noted("Only asked if you answer {words} to “{label}”"),
    noted("Only asked if you choose {words} under “{label}”"),
)
_ONLY_IF = (
    noted("Only if you answer {words} to “{label}”"),
    noted("Only if you choose {words} under “{label}”"),
)
_IF = (
    noted("if you answer {words} to “{label}”"),
    noted("if you choose {words} under “{label}”"),
)
_BECAUSE = (
    noted("because you answered {words} to “{label}”"),
    noted("because you chose {words} under “{label}”"),
)


def asked_because(rule: Condition, named: FieldSpec, held: Any) -> str:
    """Why it is asked, with the very answer that was given; of several choices those that the rule looks for."""
    if rule.operator == INCLUDES_ANY and named.many:
        held = tuple(one for one in rule.named_values() if includes_any(held, [one]))
    return _said(_ASKED_BECAUSE, named, _held(named, held), "and")


def asked_where(rule: Condition, named: FieldSpec) -> str:
    """Why it is asked wherever it is; of several answers nobody can tell beforehand which one was given."""
    words = _wanted(rule, named)
    return _said(_ASKED_BECAUSE if len(words) == 1 else _ASKED_WHEN, named, words, "or")


def only_asked_if(rule: Condition, named: FieldSpec) -> str:
    """What would have to be answered for it to be asked."""
    return _said(_ONLY_ASKED_IF, named, _wanted(rule, named), "or")


def only_if(rule: Condition, named: FieldSpec) -> str:
    """The same as the head of a list, before anything is asked at all."""
    return _said(_ONLY_IF, named, _wanted(rule, named), "or")


def if_answered(named: FieldSpec, values: Sequence[Any]) -> str:
    """Which answers would decide: the end of a sentence."""
    return _said(_IF, named, [in_words(named, value) for value in values], "or")


def because(named: FieldSpec, held: Any) -> str:
    """Which answer decides: the end of a sentence."""
    return _said(_BECAUSE, named, _held(named, held), "and")


def in_words(named: FieldSpec, value: Any) -> str:
    """A rule's value as people read it in the field that the rule names."""
    # A rule may name a value that its field can't take; then it is shown as it is.
    try:
        read = named.clean([value] if named.many and not isinstance(value, list) else value)
    except AnswerError:
        read = None
    return str(value) if read is None else named.display(read)


def _wanted(rule: Condition, named: FieldSpec) -> list[str]:
    values = rule.named_values() if rule.operator == INCLUDES_ANY else (rule.value,)
    return [in_words(named, value) for value in values]


def _held(named: FieldSpec, held: Any) -> list[str]:
    return [in_words(named, one) for one in held] if named.many else [named.display(held)]


def _said(sentences: tuple[str, str], named: FieldSpec, words: Sequence[str], last: Literal["and", "or"]) -> str:
    return say(sentences[named.many], words=listed(words, last), label=named.label)
