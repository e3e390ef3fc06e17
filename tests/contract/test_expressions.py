"""Expressions are judged within limits, and a wrong or hostile one does no harm (INTERFACE.md, "Validations")."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from formation_portal.contract.expressions import ExpressionError, MissingAnswer, Values, compile_expression

from .builders import VALUES


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("entity.capital.amount >= 20000", True),
        ("entity.capital.amount > 20000.0", False),
        ('entity["bvi.activity"] == "Holding"', True),
        ("entity.is_regulated", True),
        ('"name" in entity', False),
        ("has(entity.capital)", True),
        ('size(parties.filter(p, "director" in p.roles)) >= 2', True),
        ('size(distinct(parties.filter(p, "director" in p.roles).map(p, p.answers.passport))) == 2', False),
        ("size(distinct([[1], [1], [2]])) == 2", True),
        ("sum(holdings.map(h, h.shares)) > 98.99", True),
        ("sum(holdings.map(h, h.shares)) > 99.99", False),
        ("share_classes.all(s, s.par_value < 2.0)", True),
        ('today < "2026-11-29"', True),
        ('entity["bvi.activity"].matches("^Hol{1,2}ding$")', True),
        ('matches(entity["bvi.activity"], "^hold")', False),
        ('distinct(parties.map(p, p.kind)).exists(kind, kind == "person")', True),
        ('parties.filter(p, (p.id == "a")).all(p, (p.kind) == "person")', True),
        ('parties.all(p, p.id.matches("^[a-c]$"))', True),
        ('parties.all(p, size(parties) == 3 && parties[0].kind == "person")', True),
        ('{"matches": 1}.matches == 1 && "matches" == "matches" && share_classes != []  // .matches(', True),
        # A party without the answer makes no difference where another one decides, in any order.
        ("parties.exists(p, p.age < 18)", True),
        ("parties.all(p, p.age > 18)", False),
        ('false || parties.exists(p, p.answers.passport == "X1")', True),
        # What looks like a macro in a text or a comment is none.
        ('parties.all(p, p.id != ".all(")  // .map(', True),
    ],
)
def test_a_rule_holds_or_does_not(rule: str, holds: bool) -> None:
    assert compile_expression(rule).holds(Values(VALUES)) is holds


@pytest.mark.parametrize(
    ("rule", "missing"),
    [
        ('entity.name == "Byron"', "name"),
        ('entity["xx.city"] == "Roma"', "xx.city"),
        ('parties.all(p, p.answers.passport == "X1")', "passport"),
        ("parties.exists(p, p.age > 30)", "age"),
    ],
)
def test_a_rule_that_reads_a_missing_answer_is_not_judged(rule: str, missing: str) -> None:
    with pytest.raises(MissingAnswer, match=f"^{missing}$"):
        compile_expression(rule).holds(Values(VALUES))


def test_a_rule_that_reads_today_is_not_judged_where_no_day_is_known() -> None:
    without_today = {name: value for name, value in VALUES.items() if name != "today"}

    with pytest.raises(MissingAnswer, match=r"^today$"):
        compile_expression('today < "2026-11-29"').holds(Values(without_today))


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("capital > 1.0", "undeclared reference to 'capital'"),
        ("entity.capital.amount >", "Syntax error"),
        ("", "Syntax error"),
        ("1 + 1", "its result is int, not true or false"),
        ('"yes"', "its result is string, not true or false"),
        ("true && " * 200 + "true", "it has more than 1000 characters"),
        ("x" * 100_000, "it has more than 1000 characters"),
        ("parties.all(p, parties.exists(q, q.id == p.id))", "it has a macro inside a macro"),
        ("parties.map(p, p.roles.map (r, r)).size() > 0", "it has a macro inside a macro"),
        # One step may compare whole lists.
        ("parties.all(p, parties == parties)", "it names all parties inside a macro, list or map"),
        ("parties.all(p, p in parties)", "it names all parties inside a macro, list or map"),
        ("[holdings, holdings].all(h, h == h)", "it names all holdings inside a macro, list or map"),
        ('{"a": share_classes}.exists(c, true)', "it names all share_classes inside a macro, list or map"),
        ("[parties.map(p, p)].all(x, x == x)", "it has a macro inside a list or map"),
        ("(parties + parties).all(p, true)", "it has a macro behind a bracket"),
        ("dyn(parties + parties) .all(p, true)", "it has a macro behind a bracket"),
        ("parties.map(p, [" + "p, " * 30 + "p]) != []", "it has more than 30 names inside a macro"),
        ("(" * 400 + "true" + ")" * 400, "recursion"),
        ("!(" * 300 + "true" + ")" * 300, "recursion"),
        ("1 + " * 240 + "1 > 0", "recursion"),
        ("\ud800", "incompatible function arguments"),
        ("true\x00", "Syntax error"),
        ('"a".matches("a") == 3', "no matching overload"),
    ],
)
def test_a_rule_over_the_limits_or_that_does_not_parse_is_refused_with_the_reason(rule: str, reason: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        compile_expression(rule)

    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("entity.capital.amount > entity.is_regulated", "No matching overloads"),
        ("parties[7].age > 18", "Index error"),
        ("entity.capital", "its result is map<dyn, dyn>, not true or false"),
        ('int("x") == 1', "cannot convert string to int"),
        ('sum(["x"]) > 1.0', "unsupported operand"),
        ("1 / int(entity.capital.amount - 20000.0) == 1", "divide by zero"),
        ('"x".matches("(")', "invalid regular expression"),
        ('"x".matches("(a{1000}){1000}")', "its regular expressions take too long"),
        ('parties.exists(p, p.id.matches("x{1,20000}{20}"))', "its regular expressions take too long"),
    ],
)
def test_a_rule_that_fails_at_the_answers_says_why(rule: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        compile_expression(rule).holds(Values(VALUES))


def test_a_rule_stops_after_ten_thousand_steps() -> None:
    parties = [{"id": f"p{number}"} for number in range(1000)]
    step = 'parties.all(p, p.id != "")'

    assert compile_expression(" && ".join([step] * 9)).holds(Values({"parties": parties})) is True
    with pytest.raises(ExpressionError, match="budget"):
        compile_expression(" && ".join([step] * 11)).holds(Values({"parties": parties}))


def test_regular_expressions_of_one_rule_search_a_million_characters_times_the_pattern() -> None:
    step = 'entity.text.matches("^(a+)+$")'
    values = Values({"entity": {"text": "a" * 10_000 + "!"}})

    assert compile_expression(" || ".join([step] * 12)).holds(values) is False
    with pytest.raises(ExpressionError, match="its regular expressions take too long"):
        compile_expression(" || ".join([step] * 13)).holds(values)
    # The limit is that of one evaluation.
    assert compile_expression(step).holds(values) is False


def test_a_rule_tells_which_values_it_reads() -> None:
    rule = 'entity.a == "parties" && holdings.all(h, h.shares > 0)  // today'
    assert compile_expression(rule).names == {"entity", "holdings"}


def test_a_rule_that_joins_texts_or_lists_is_told_from_others_since_values_keep_what_it_makes() -> None:
    assert compile_expression('entity.a + entity.a == "aa"').concatenates
    assert not compile_expression('entity.a == "aa"').concatenates


def test_threads_judge_one_rule_at_once() -> None:
    rule = compile_expression("entity.number > 500.0")

    with ThreadPoolExecutor(8) as threads:
        results = list(
            threads.map(lambda number: rule.holds(Values({"entity": {"number": float(number)}})), range(1000))
        )

    assert results == [False] * 501 + [True] * 499
