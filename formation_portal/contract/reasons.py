"""Rules in words: why a question is asked, when one would be, and why a role needs as many as it does.

The answer comes first and the question that it answers last, since that is how people recognise what they said.
"""

from collections.abc import Sequence
from typing import Any

from .conditions import INCLUDES_ANY, Condition
from .field import FieldSpec
from .problems import AnswerError
from .values import includes_any


def asked_because(rule: Condition, named: FieldSpec, held: Any) -> str:
    """Why it is asked, with the very answer that was given; of several choices those that the rule looks for."""
    if rule.operator == INCLUDES_ANY and named.many:
        held = tuple(one for one in rule.named_values() if includes_any(held, [one]))
    return f"Asked {because(named, held)}"


def asked_where(rule: Condition, named: FieldSpec) -> str:
    """Why it is asked wherever it is; of several answers nobody can tell beforehand which one was given."""
    words = _wanted(rule, named)
    return f"Asked {_because(named, words)}" if len(words) == 1 else f"Asked when {_if(named, words)}"


def only_asked_if(rule: Condition, named: FieldSpec) -> str:
    """What would have to be answered for it to be asked."""
    return f"Only asked if {_if(named, _wanted(rule, named))}"


def only_if(rule: Condition, named: FieldSpec) -> str:
    """The same as the head of a list, before anything is asked at all."""
    return f"Only if {_if(named, _wanted(rule, named))}"


def if_answered(named: FieldSpec, values: Sequence[Any]) -> str:
    """Which answers would decide: the end of a sentence."""
    return f"if {_if(named, [in_words(named, value) for value in values])}"


def because(named: FieldSpec, held: Any) -> str:
    """Which answer decides: the end of a sentence."""
    return _because(named, [in_words(named, one) for one in held] if named.many else [named.display(held)])


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


def _because(named: FieldSpec, words: Sequence[str]) -> str:
    verb, link = ("chose", "under") if named.many else ("answered", "to")
    return f"because you {verb} {_listed(words, 'and')} {link} “{named.label}”"


def _if(named: FieldSpec, words: Sequence[str]) -> str:
    verb, link = ("choose", "under") if named.many else ("answer", "to")
    return f"you {verb} {_listed(words, 'or')} {link} “{named.label}”"


def _listed(words: Sequence[str], last: str) -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)
